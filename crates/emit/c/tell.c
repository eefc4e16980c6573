/* Remembers a heap error, and tells of it. */
static void heap_error(Heap *heap, unsigned int error, const void *block)
{
    (void)block;
    heap->last_error = error;
    {{ N }}_ON_ERROR(heap, error, block);
}

/* What is wrong, if a function that looks for a used block returned it; else 0. */
static inline unsigned int error_of(Index block)
{
    return (block < {{ N }}_DAMAGED) ? ((unsigned int)block + 1U) : 0U;
}
