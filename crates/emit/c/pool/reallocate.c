{%- set smallest = "REMAINDER" if pool.splits and pool.remainder else "MIN_BLOCK" %}

/* ---- Changing the size of a block in place ---------------------------------------------------- */

/* Takes what is missing from the wilderness{% if pool.joins %}, or from the free block that follows{% endif %}. */
static bool grow_in_place(Heap *heap, Index block, {% if pool.split_from and pool.joins %}size_t size, {% endif %}Index need{% if pool.coalesce_from %}, bool whatever_size{% endif %})
{
    const Index head = load(heap, block - 1U);
    const Index words = words_of(head);
    const Index flags = head & PREVIOUS_USED;
    const Index next = block + words;
    const Index next_head = load(heap, next - 1U);
{%- if pool.joins %}
    Index end;
{%- endif %}

    if (words_of(next_head) == 0U) {
        if ((block + need) > heap->length) {
            return false;
        }
        store(heap, block - 1U, header(need, USED | flags));
{%- if index.absorbs %}
        index_absorb(heap, next, next + 1U, {{ first }});
{%- endif %}
        set_top(heap, block + need, PREVIOUS_USED);
        return true;
    }
{%- if pool.joins %}
    if ({% if pool.coalesce_from %}(!whatever_size && (words < COALESCE_FROM)) || {% endif %}is_used(next_head) || ((words + words_of(next_head)) < need)) {
        return false;
    }
    end = next + words_of(next_head);
{%- if index.linked %}
    {{ remove("next", "words_of(next_head)") }};
{%- endif %}
{%- if index.absorbs %}
    index_absorb(heap, next, end, block);
{%- endif %}
{%- if pool.splits %}
    if ({% if pool.split_from %}(((end - block) - need) >= {{ smallest }}) && (size >= SPLIT_FROM){% else %}((end - block) - need) >= {{ smallest }}{% endif %}) {
        const Index remainder = block + need;

        store(heap, block - 1U, header(need, USED | flags));
        write_free(heap, remainder, end - remainder, PREVIOUS_USED);
{%- if index.linked %}
        {{ insert("remainder", "end - remainder") }};
{%- endif %}
        return true;
    }
{%- endif %}
    store(heap, block - 1U, header(end - block, USED | flags));
{%- if pool.tags %}
    tell_next(heap, end, true);
{%- endif %}
    return true;
{%- else %}
    return false;
{%- endif %}
}

/* Resizes the block to `size` bytes in place, if it can. */
static bool pool_resize(Heap *heap, Index block, size_t size)
{
    const Index need = pool_need(size);
    const Index head = load(heap, block - 1U);

    if (need == 0U) {
        return false;
    }
    if (need > words_of(head)) {
        return grow_in_place(heap, block, {% if pool.split_from and pool.joins %}size, {% endif %}need{% if pool.coalesce_from %}, false{% endif %});
    }
{%- if pool.splits %}
    if ({% if pool.split_from %}((words_of(head) - need) >= {{ smallest }}) && (size >= SPLIT_FROM){% else %}(words_of(head) - need) >= {{ smallest }}{% endif %}) {
        store(heap, block - 1U, header(need, USED | (head & PREVIOUS_USED)));
{%- if frees_by_pointer %}
        store(heap, (block + need) - 1U, header(words_of(head) - need, USED | PREVIOUS_USED));
        {{ "(void)" if counts_freed else "" }}free_block(heap, &heap->words[block + need]);
{%- else %}
        pool_release(heap, block + need, header(words_of(head) - need, USED | PREVIOUS_USED));
{%- endif %}
    }
{%- endif %}
    return true;
}
