
/* ---- Counters ---------------------------------------------------------------------------------
 *
 * What the program holds and asks for: numbers in the heap's struct, not in its region. A block that is cached, or that
 * the heap keeps for itself, is free.
 */

static bool counters_init(Heap *heap)
{
    if (!{{ layer.below.init }}(heap)) {
        return false;
    }
    heap->live_blocks = 0U;
    heap->free_bytes = (size_t)(heap->length - {% if header > 0 %}({{ first }} - {{ header }}U){% else %}{{ first }}{% endif %}) * WORD;
    heap->min_free_bytes = heap->free_bytes;
    heap->refused = 0U;
    heap->largest_request = 0U;
    return true;
}

/* Counts a request for `size` bytes, which gave back `before` bytes of a block and got `block`; returns the block. */
static Index count_request(Heap *heap, size_t size, size_t before, Index block)
{
    if (size > heap->largest_request) {
        heap->largest_request = size;
    }
    if (block != 0U) {
        const size_t free_bytes = (heap->free_bytes + before) - {{ layer.below.block_bytes }}(heap, block);

        heap->free_bytes = free_bytes;
        if (free_bytes < heap->min_free_bytes) {
            heap->min_free_bytes = free_bytes;
        }
        if (before == 0U) {
            heap->live_blocks++;
        }
        return block;
    }
    if (size > 0U) {
        heap->refused++;
    }
    return 0U;
}

/* Counts the free of a block of this many bytes; 0 if none was freed. */
static void count_free(Heap *heap, size_t bytes)
{
    if (bytes > 0U) {
        heap->live_blocks--;
        heap->free_bytes += bytes;
    }
}

static Index counters_allocate(Heap *heap, size_t size, size_t alignment)
{
    return count_request(heap, size, 0U, {{ layer.below.allocate }}(heap, size, alignment));
}

static Index counters_reallocate(Heap *heap, Index block, size_t size, size_t alignment)
{
    const size_t before = {{ layer.below.block_bytes }}(heap, block);

    return count_request(heap, size, before, {{ layer.below.reallocate }}(heap, block, size, alignment));
}
{%- if layer.below.refuses %}

static bool counters_free(Heap *heap, Index block)
{
    const size_t bytes = {{ layer.below.block_bytes }}(heap, block);
    const bool freed = {{ layer.below.free }}(heap, block);

    count_free(heap, freed ? bytes : 0U);
    return freed;
}
{%- elif not counts_freed %}

static void counters_free(Heap *heap, Index block)
{
    const size_t bytes = {{ layer.below.block_bytes }}(heap, block);

    {{ layer.below.free }}(heap, block);
    count_free(heap, bytes);
}
{%- endif %}
