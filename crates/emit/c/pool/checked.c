
/* ---- Checks: check=header ---------------------------------------------------------------------
 *
 * A pointer is looked at before it is trusted, and so are the header before it, the header behind the block, and the
 * first link of a free block before it is taken. All of it takes constant time. A header that is swallowed by the
 * free block before is set to 0.
 */

/* Bytes that blocks are a multiple of. */
#define STEP_BYTES ((uintptr_t)GRANULE * WORD)

/* Remembers a heap error, and tells of it. */
static void heap_error(Heap *heap, unsigned int error, const void *block)
{
    (void)block;
    heap->last_error = error;
    {{ N }}_ON_ERROR(heap, error, block);
}

/* On the way of every free: the call would cost as much as what it does. */
#if defined(__GNUC__)
#define IN_PLACE static inline __attribute__((always_inline))
#else
#define IN_PLACE static inline
#endif

/* From the first block to `pointer`, in units that blocks are a multiple of; more than any region has where it lies at no
 * such multiple. */
IN_PLACE uintptr_t steps_to(const Heap *heap, const void *pointer)
{
    /* cppcheck-suppress misra-c2012-11.6 ; an address is a number here, and is never made a pointer again */
    const uintptr_t bytes = (uintptr_t)pointer - address_of(&heap->words[{{ first }}]);

    /* Rotated, so that what is left over is far beyond any region. */
    return (bytes / STEP_BYTES) | (bytes * (~(uintptr_t)0U / STEP_BYTES + 1U));
}

/* The used block at `pointer`, or 0 if there is none. */
IN_PLACE Index find_used(const Heap *heap, const void *pointer)
{
    const Index top = load(heap, TOP);
    const uintptr_t steps = steps_to(heap, pointer);
    Index at;
    Index head;
    Index size;

    if (steps >= ((top - {{ first }}){% if pool.granule > 1 %} / GRANULE{% endif %})) {
        return 0U;
    }
    at = {% if pool.granule > 1 %}((Index)steps * GRANULE){% else %}(Index)steps{% endif %} + {{ first }};
    head = load(heap, at - 1U);
    size = words_of(head);
    /* As a size of 0 comes out too large, too, one comparison finds both. */
    if (((size - 1U) >= (top - at)){% if pool.granule > 1 %} || ((size & (GRANULE - 1U)) != 0U){% endif %}) {
        return 0U;
    }
{%- if pool.tags %}
    /* The header says used, and so does the one behind the block. */
    return (((head & (load(heap, (at + size) - 1U) >> 1U)) & USED) != 0U) ? at : 0U;
{%- else %}
    return (is_used(head) && ({{ size_of }}(load(heap, (at + size) - 1U)) <= ((top - at) - size))) ? at : 0U;
{%- endif %}
}

/* The same as a call, for what is rare. */
static Index used_block(const Heap *heap, const void *pointer)
{
    return find_used(heap, pointer);
}

/* What is wrong with a pointer that names no used block. */
static unsigned int error_at(const Heap *heap, const void *pointer)
{
    const Index top = load(heap, TOP);
    const uintptr_t steps = steps_to(heap, pointer);
    Index at;
    Index head;

    if (steps >= ((top - {{ first }}){% if pool.granule > 1 %} / GRANULE{% endif %})) {
        return {{ N }}_FOREIGN;
    }
    at = {% if pool.granule > 1 %}((Index)steps * GRANULE){% else %}(Index)steps{% endif %} + {{ first }};
    head = load(heap, at - 1U);
{%- if marks %}
    if (((head & CACHED) != 0U) && (size_of(head) <= (top - at))) {
        return {{ N }}_DOUBLE_FREE;
    }
{%- endif %}
    return is_used(head) ? {{ N }}_DAMAGED : {{ N }}_DOUBLE_FREE;
}

/* Refuses a pointer that names no used block. */
static void refuse(Heap *heap, const void *pointer)
{
    heap_error(heap, error_at(heap, pointer), pointer);
}
{%- if index.linked or marks %}

/* Remembers that the block `at` is damaged, and tells of it. */
static void damaged(Heap *heap, Index at)
{
    heap_error(heap, {{ N }}_DAMAGED, (at < heap->length) ? &heap->words[at] : NULL);
}
{%- endif %}
{%- if index.linked %}
{% include "pool/holds.c" %}

/* The free block that a search found; 0 if it is damaged, which is a heap error. */
static inline Index sound(Heap *heap, Index block)
{
    if ((block != 0U) && !index_holds(heap, block)) {
        damaged(heap, block);
        return 0U;
    }
    return block;
}
{%- endif %}
