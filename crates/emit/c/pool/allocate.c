
/* ---- Requests ------------------------------------------------------------------------------- */

/* Words of the block that serves a request of `size` bytes; 0 if no block can. */
static inline Index pool_need(size_t size)
{
{%- if index.rounds %}
    const Index words = words_for(size);

    return (words == 0U) ? 0U : index_round(words);
{%- else %}
    return words_for(size);
{%- endif %}
}

/* A block for a request{% if pool.split_from %} of `size` bytes{% endif %} that needs `need` words, or 0. */
static Index pool_allocate_words(Heap *heap, {% if pool.split_from %}size_t size, {% endif %}Index need)
{
    Index block;
{%- if not (checked and index.finds_larger) %}
    Index top;
{%- endif %}
{% if pool.every_call %}
    sweep(heap);
{%- endif %}
    block = {{ found("index_find(heap, need)") }};
{%- if pool.deferred %}
    if ((block == 0U) && heap->touching) {
        sweep(heap);
        block = {{ found_rarely("index_find(heap, need)") }};
    }
{%- endif %}
{%- if checked and index.finds_larger %}
    /* `take` is called at one place, so its code is there. */
    if (block == 0U) {
        const Index top = load(heap, TOP);

        if ((top + need) <= heap->length) {
            extend(heap, top, need);
            return top;
        }
        block = {{ found_rarely("index_find_larger(heap, need)") }};
    }
    if (block != 0U) {
        take(heap, block, need{% if pool.split_from %}, size{% endif %});
    }
    return block;
}
{%- else %}
    if (block != 0U) {
        take(heap, block, need{% if pool.split_from %}, size{% endif %});
        return block;
    }
    top = load(heap, TOP);
    if ((top + need) <= heap->length) {
        extend(heap, top, need);
        return top;
    }
{%- if index.finds_larger %}
    block = {{ found_rarely("index_find_larger(heap, need)") }};
    if (block != 0U) {
        take(heap, block, need{% if pool.split_from %}, size{% endif %});
    }
    return block;
{%- else %}
    return 0U;
{%- endif %}
}
{%- endif %}
