/* Prints a line for every call that was served. */
#include <stdio.h>

#define MY_HEAP_TRACE(heap, what, old, block, size, alignment) log_call(what, old, block, size, alignment)

static void log_call(char what, const void *old, const void *block, size_t size, size_t alignment);

#include "my_heap.c"

static void log_call(char what, const void *old, const void *block, size_t size, size_t alignment)
{
    if (what == 'f') {
        printf("f,0x%lx,,,\n", (unsigned long)(uintptr_t)old);
    } else if (block != NULL) {
        printf("%c,0x%lx,%lu,%lu,0x%lx\n", what, (unsigned long)(uintptr_t)block, (unsigned long)size,
               (unsigned long)alignment, (unsigned long)(uintptr_t)old);
    }
}

static uint32_t region[1024];

int main(void)
{
    my_heap heap;
    void *first;
    void *second;
    void *third;

    puts("action,id,size,alignment,old");
    if (!my_heap_init(&heap, region, sizeof region)) {
        return 1;
    }
    first = my_heap_allocate(&heap, 24U);
    second = my_heap_allocate_aligned(&heap, 100U, 64U);
    /* It moves, and the next block takes its place. */
    first = my_heap_reallocate(&heap, first, 500U, 0U);
    third = my_heap_allocate(&heap, 24U);
    (void)my_heap_reallocate(&heap, first, 5000U, 0U);
    (void)my_heap_allocate(&heap, 5000U);
    first = my_heap_reallocate(&heap, first, 400U, 0U);
    my_heap_free(&heap, second);
    my_heap_free(&heap, first);
    my_heap_free(&heap, NULL);
    my_heap_free(&heap, third);
    return 0;
}
