
/* ---- The layer: a reserve that only requests of high priority may use ---------------------------
 *
 *   | control and used blocks | free                | {{ layer.percent }}% of the region |
 *     low priority: up to here ------------------->|
 *
 * Free is the region less control words and used blocks; what is cached below is free. A request counts with its size, a
 * block with all its words. The layer has a block of one word:
 *
 * R1  Its word is the number of words in used blocks, cached ones and this one not counted.
 *
 * Peintner, Bukhatwa and Patel, section 3.
 */

/* Bytes that requests of low priority may fill, in a region of this many bytes. */
static size_t reserve_limit(size_t bytes)
{
{%- if word == 8 %}
    const size_t region = bytes;
{%- else %}
    const size_t region = (bytes < {{ max_layered }}) ? bytes : {{ max_layered }};
{%- endif %}

    return region - (((region / 100U) * {{ layer.percent }}U) + (((region % 100U) * {{ layer.percent }}U) / 100U));
}

/* Whether `more` bytes leave the reserve whole. */
static bool reserve_holds(const Heap *heap, size_t more)
{
    const size_t own = {{ layer.below.block_bytes }}(heap, heap->reserve);
    const Index control = {{ first }}{% if header > 0 %} - {{ header }}U{% endif %};
    const size_t now = ((size_t)control * WORD) + own + ((size_t)load(heap, heap->reserve) * WORD);

    return (now <= heap->limit) && (more <= (heap->limit - now));
}

/* Counts a block as used, or no longer. */
static void reserve_count(Heap *heap, size_t gained, size_t lost)
{
    store(heap, heap->reserve, (load(heap, heap->reserve) + (Index)(gained / WORD)) - (Index)(lost / WORD));
}

static bool reserve_init(Heap *heap)
{
    if (!{{ layer.below.init }}(heap)) {
        return false;
    }
    heap->is_urgent = true;
    heap->reserve = {{ layer.below.allocate }}(heap, WORD, 1U);
    heap->is_urgent = false;
    if (heap->reserve == 0U) {
        return false;
    }
    store(heap, heap->reserve, 0U);
    return true;
}

static Index reserve_allocate(Heap *heap, size_t size, size_t alignment)
{
    Index block;

    if (!heap->is_urgent && !reserve_holds(heap, size)) {
        return 0U;
    }
    block = {{ layer.below.allocate }}(heap, size, alignment);
    if (block != 0U) {
        reserve_count(heap, {{ layer.below.block_bytes }}(heap, block), 0U);
    }
    return block;
}

static Index reserve_reallocate(Heap *heap, Index block, size_t size, size_t alignment)
{
    const size_t before = {{ layer.below.block_bytes }}(heap, block);
    const size_t usable = {{ layer.below.usable }}(heap, block);
    Index moved;

    if ((size > usable) && !reserve_holds(heap, size - usable)) {
        return 0U;
    }
    moved = {{ layer.below.reallocate }}(heap, block, size, alignment);
    if (moved != 0U) {
        reserve_count(heap, {{ layer.below.block_bytes }}(heap, moved), before);
    }
    return moved;
}
{% if layer.below.refuses %}
static bool reserve_free(Heap *heap, Index block)
{
    const size_t bytes = {{ layer.below.block_bytes }}(heap, block);
    const bool freed = {{ layer.below.free }}(heap, block);

    if (freed) {
        reserve_count(heap, 0U, bytes);
    }
    return freed;
}
{%- else %}
static void reserve_free(Heap *heap, Index block)
{
    const size_t bytes = {{ layer.below.block_bytes }}(heap, block);

    {{ layer.below.free }}(heap, block);
    reserve_count(heap, 0U, bytes);
}
{%- endif %}

/* Visits what is below, then the layer's own block once more. */
static void reserve_walk(const Heap *heap, const Walk *walk)
{
    {{ layer.below.walk }}(heap, walk);
{%- set own = layer.below.block_below ~ "(heap, heap->reserve)" if layer.below.block_below else "heap->reserve" %}
    visit_block(heap, walk, {{ own }}, {{ base.usable }}(heap, {{ own }}), {{ N }}_IS_CACHED);
}

/* Adds the bytes of used blocks, and takes off those of cached ones. */
static void reserve_add(void *context, const void *block, size_t bytes, unsigned int status)
{
    /* cppcheck-suppress misra-c2012-11.5 ; what this function is called with is a sum */
    size_t *const used = (size_t *)context;

    (void)block;
    if (status == {{ N }}_IS_USED) {
        *used += bytes{% if header > 0 %} + ((size_t){{ header }}U * WORD){% endif %};
    } else if (status == {{ N }}_IS_CACHED) {
        *used -= bytes{% if header > 0 %} + ((size_t){{ header }}U * WORD){% endif %};
    } else {
        /* It is free. */
    }
}

static unsigned int reserve_check(const Heap *heap)
{
    const unsigned int broken = {{ layer.below.check }}(heap);
    size_t used = 0U;
    Walk walk;

    if (broken != 0U) {
        return broken;
    }
    walk.visit = reserve_add;
    walk.context = &used;
    reserve_walk(heap, &walk);
    return (used == ((size_t)load(heap, heap->reserve) * WORD)) ? 0U : 13U;
}
