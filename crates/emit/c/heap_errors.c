{% include "tell.c" %}
/* From the first block to `pointer`, in units that blocks are a multiple of; more than any region has where it lies at no
 * such multiple. */
static inline uintptr_t steps_to(const Heap *heap, const void *pointer)
{
    /* cppcheck-suppress misra-c2012-11.6 ; an address is a number here, and is never made a pointer again */
    const uintptr_t bytes = (uintptr_t)pointer - address_of(&heap->words[{{ first }}]);

    /* Rotated, so that what is left over is far beyond any region. */
    return (bytes / STEP_BYTES) | (bytes * (~(uintptr_t)0U / STEP_BYTES + 1U));
}

static {{ "size_t" if counts_freed else "void" }} free_block(Heap *heap, const void *pointer);
{%- if checks_links or marks or pool.family == "buddy" %}

/* Remembers that the block `at` is damaged, and tells of it. */
static void damaged(Heap *heap, Index at)
{
    heap_error(heap, {{ N }}_DAMAGED, (at < heap->length) ? &heap->words[at] : NULL);
}
{%- endif %}
