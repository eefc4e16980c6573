
/* ---- The pool as a heap ---------------------------------------------------------------------- */

/* Bytes that the owner of the block may use. */
static size_t pool_usable(const Heap *heap, Index block)
{
    return ((size_t)words_of(load(heap, block - 1U)) - 1U) * WORD;
}
{%- if not free_lists %}

static Index pool_allocate(Heap *heap, size_t size, size_t alignment)
{
    Index need;

    if ((alignment > ALIGNMENT) || ((alignment & (alignment - 1U)) != 0U)) {
        return pool_allocate_aligned(heap, size, alignment);
    }
    need = pool_need(size);
    return (need == 0U) ? 0U : pool_allocate_words(heap, {% if pool.split_from %}size, {% endif %}need);
}

static void pool_free(Heap *heap, Index block)
{
    pool_release(heap, block, load(heap, block - 1U));
}
{%- endif %}

/* An empty pool, which leaves the words from LAYERS up to CONTROL, set to 0, to layers. False if the
 * region is too small. */
static bool pool_init(Heap *heap)
{
{%- if pool.granule > 1 %}
    const Index base = (Index)((address_of(heap->words) / WORD) & (GRANULE - 1U));

    heap->first = ((base + CONTROL + 1U + (GRANULE - 1U)) & ~((Index)GRANULE - 1U)) - base;
{%- endif %}
    if (({{ first }} + MIN_BLOCK) > heap->length) {
        return false;
    }
{%- if pool.deferred %}
    heap->touching = false;
{%- endif %}
{%- if control > layers_at %}
    for (Index at = LAYERS; at < CONTROL; at++) {
        store(heap, at, 0U);
    }
{%- endif %}
{%- if index.kind == "list" %}
    index_clear(heap);
{%- elif index.fit == "next" %}
    store(heap, ROVER, {{ first }});
{%- elif index.counts %}
    store(heap, FREE_BLOCKS, 0U);
{%- elif index.by_size %}
    for (Index at = INDEX; at < LAYERS; at++) {
        store(heap, at, 0U);
    }
{%- endif %}
    store(heap, HIGH, 0U);
    set_top(heap, {{ first }}, PREVIOUS_USED);
    return true;
}
