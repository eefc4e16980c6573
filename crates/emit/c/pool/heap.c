
/* ---- The pool as a heap ---------------------------------------------------------------------- */

/* Bytes that the owner of the block may use. */
static size_t pool_usable(const Heap *heap, Index block)
{
    return ((size_t)words_of(load(heap, block - 1U)) - 1U) * WORD;
}
{%- if retries %}

/* Resizes the block in place, after a request for a new one was refused{% if pool.apart %}: by now everything is joined, and the
 * threshold does not count{% endif %}. */
static bool pool_resize_joined(Heap *heap, Index block, size_t size)
{
    const Index need = pool_need(size);

    if (need == 0U) {
        return false;
    }
    return (size <= pool_usable(heap, block)) || grow_in_place(heap, block, {% if pool.split_from and pool.joins %}size, {% endif %}need{% if pool.coalesce_from %}, true{% endif %});
}
{%- endif %}

/* A block for a request, or 0{% if pool.apart %}; what freeing left apart stays apart{% if pool.deferred %}, but for the sweep before the wilderness grows{% endif %}{% endif %}. */
static Index {{ "pool_allocate_apart" if free_lists or pool.apart else "pool_allocate" }}(Heap *heap, size_t size, size_t alignment)
{
    Index need;

    if ((alignment > ALIGNMENT) || ((alignment & (alignment - 1U)) != 0U)) {
        return pool_allocate_aligned(heap, size, alignment);
    }
    need = pool_need(size);
    return (need == 0U) ? 0U : pool_allocate_words(heap, {% if pool.split_from %}size, {% endif %}need);
}
{%- if pool.apart %}

/* The last step before a request is refused: joins what freeing left apart, and tries again. Where nothing was left
 * apart since, it refuses in constant time. */
static Index pool_allocate_joined(Heap *heap, size_t size, size_t alignment)
{
    if ((pool_need(size) == 0U) || ((alignment & (alignment - 1U)) != 0U) || !heap->touching) {
        return 0U;
    }
    sweep(heap);
    return pool_allocate_apart(heap, size, alignment);
}
{%- endif %}
{%- if not free_lists %}
{%- if pool.apart %}

static Index pool_allocate(Heap *heap, size_t size, size_t alignment)
{
    const Index block = pool_allocate_apart(heap, size, alignment);

    return (block != 0U) ? block : pool_allocate_joined(heap, size, alignment);
}
{%- endif %}

static void pool_free(Heap *heap, Index block)
{
    pool_release(heap, block, load(heap, block - 1U));
}
{%- endif %}

/* An empty pool, which leaves the words from LAYERS up to CONTROL, set to 0, to layers. False if the
 * region is too small. */
static bool pool_init(Heap *heap)
{
{%- if index.by_region %}
    const Index base = (Index)((address_of(heap->words) / WORD) & (GRANULE - 1U));

    heap->last = list_ceil(heap->length);
    heap->heads = SECOND_LEVEL + ((heap->last >> SECOND) + 1U){% if index.row_words > 1 %} * ROW_WORDS{% endif %};
    heap->first = ((base + CONTROL + 1U + (GRANULE - 1U)) & ~((Index)GRANULE - 1U)) - base;
{%- elif pool.granule > 1 %}
    const Index base = (Index)((address_of(heap->words) / WORD) & (GRANULE - 1U));

    heap->first = ((base + CONTROL + 1U + (GRANULE - 1U)) & ~((Index)GRANULE - 1U)) - base;
{%- endif %}
    if (({{ first }} + MIN_BLOCK) > heap->length) {
        return false;
    }
{%- if pool.apart %}
    heap->touching = false;
{%- endif %}
{%- if control > layers_at %}
    for (Index at = LAYERS; at < CONTROL; at++) {
        fill(heap, at, 0U);
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
        fill(heap, at, 0U);
    }
{%- endif %}
    store(heap, HIGH, 0U);
    set_top(heap, {{ first }}, PREVIOUS_USED);
    return true;
}
