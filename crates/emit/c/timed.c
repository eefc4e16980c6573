/* The functions of the heap in this file, so that a call is one call.
 *
 * What a compiled heap is called by where it is timed: a table of its functions, as the crate `peers` of heapsmith reads it. */
#include <stdbool.h>
#include <stddef.h>

#include "{{ n }}.c"

/* The heap's, for these functions take the place of its own. */
#ifndef FETCH_ALIGNED
#define FETCH_ALIGNED
#endif

static bool begin(void *heap, void *region, size_t bytes)
{
    return {{ n }}_init(heap, region, bytes);
}

FETCH_ALIGNED static void *allocate(void *heap, size_t size)
{
    return {{ n }}_allocate(heap, size);
}

static void *allocate_aligned(void *heap, size_t size, size_t alignment)
{
    return {{ n }}_allocate_aligned(heap, size, alignment);
}

static void *reallocate(void *heap, void *block, size_t size, size_t alignment)
{
    return {{ n }}_reallocate(heap, block, size, alignment);
}

FETCH_ALIGNED static void deallocate(void *heap, void *block)
{
    (void){{ n }}_free(heap, block);
}

extern const struct table {
    size_t bytes;
    size_t max_region;
    size_t alignment;
    bool (*init)(void *, void *, size_t);
    void *(*allocate)(void *, size_t);
    void *(*allocate_aligned)(void *, size_t, size_t);
    void *(*reallocate)(void *, void *, size_t, size_t);
    void (*free)(void *, void *);
} heapsmith_compiled __attribute__((visibility("default")));

const struct table heapsmith_compiled = {sizeof({{ n }}), (size_t){{ max_region }}U, {{ promised }}U, begin, allocate, allocate_aligned, reallocate,
                                         deallocate};
