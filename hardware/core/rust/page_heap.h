/* The heap in Rust (page_heap.rs), as programs for the simulated core call it: the functions of the heap in C. */
#ifndef PAGE_HEAP_H
#define PAGE_HEAP_H

#include <stdbool.h>
#include <stddef.h>

/* There is one heap; what its functions take is not looked at. */
typedef struct {
  char unused;
} page_heap;

bool page_heap_init(page_heap *heap, void *region, size_t bytes);
void *page_heap_allocate(page_heap *heap, size_t size);
void *page_heap_reallocate(page_heap *heap, void *block, size_t size, size_t alignment);
void page_heap_free(page_heap *heap, void *block);
/* 0, or that an invariant is broken. */
unsigned page_heap_check(page_heap *heap);

#endif
