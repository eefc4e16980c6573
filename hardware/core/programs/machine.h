/* What programs on the simulated system have: a heap of pages, and words that the test bench sees.
 *
 * The heap is emitted C, so the search is that of the spec that it was emitted for. Compiled with MARKED, every operation of the heap is
 * between two writes whose cycles the test bench measures; each writes its size, or the block.
 */
#ifndef MACHINE_H
#define MACHINE_H

#include <stddef.h>
#include <stdint.h>

#include "page_heap.h"

/* Words outside of the caches. Each is a signal to the test bench. */
#define SIGNAL(number) (*(volatile uint32_t *)(0x80000000u + 4u * (number)))
enum { END, MANAGING, WORKING, EXCHANGING, EXCHANGED, SIZE, BLOCK, FREED, RESULT, RESIZED };

#define REGION_BYTES (16u << 20)
extern page_heap heap;
extern unsigned char region[REGION_BYTES];

#ifdef MARKED
#define MARK(which) (SIGNAL(which) = 0)
#define TELL(what, value) (SIGNAL(what) = (value))
#else
#define MARK(which) ((void)0)
#define TELL(what, value) ((void)0)
#endif

/* A block; the program ends where there is none. */
static inline void *take(size_t size) {
  void *block;
  MARK(MANAGING);
  block = page_heap_allocate(&heap, size);
  MARK(WORKING);
  TELL(SIZE, (uint32_t)size);
  TELL(BLOCK, (uint32_t)((unsigned char *)block - region));
  if (block == NULL) {
    SIGNAL(END) = 2;
  }
  return block;
}

static inline void give(void *block) {
  TELL(FREED, (uint32_t)((unsigned char *)block - region));
  MARK(MANAGING);
  page_heap_free(&heap, block);
  MARK(WORKING);
}

/* The block with another size, where it was or elsewhere. */
static inline void *change(void *block, size_t size) {
  void *changed;
  TELL(RESIZED, (uint32_t)((unsigned char *)block - region));
  MARK(MANAGING);
  changed = page_heap_reallocate(&heap, block, size, 1u);
  MARK(WORKING);
  TELL(SIZE, (uint32_t)size);
  TELL(BLOCK, (uint32_t)((unsigned char *)changed - region));
  if (changed == NULL) {
    SIGNAL(END) = 2;
  }
  return changed;
}

/* Marsaglia's xorshift: a number below `below`, for any state but 0. */
static inline uint32_t chance(uint32_t *state, uint32_t below) {
  *state ^= *state << 13;
  *state ^= *state >> 17;
  *state ^= *state << 5;
  return *state % below;
}

/* The program; what it gives must be the same with every search. */
uint32_t program(void);

#endif
