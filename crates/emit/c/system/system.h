/* {{ name }}_system.h: the heap {{ name }} in {{ system.title }}, emitted by heapsmith {{ version }}.
 *
 * One heap, which all of the program shares: {{ name }}_{{ system.file }}.c has it, makes it at the first call, and takes the lock
 * of the system for every call. {{ system.where }}
 *
 * Tested {{ system.tested }}.
 */
#ifndef {{ N }}_SYSTEM_H
#define {{ N }}_SYSTEM_H

#include "{{ name }}.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A block at a multiple of `alignment` bytes, a power of two; 0 means that of the heap, {{ promised }}. NULL if there is no room, and
 * for a size of 0. */
void *{{ n }}_system_allocate(size_t size, size_t alignment);

/* Makes a block at least `size` bytes large, and keeps its contents up to the smaller of both sizes. NULL if there is no
 * room, and for a size of 0: the block is as it was. A NULL block is allocated. */
void *{{ n }}_system_reallocate(void *block, size_t size, size_t alignment);

/* Frees a block; NULL is none. */
void {{ n }}_system_free(void *block);

/* Bytes of a block that its owner may use; 0 of NULL. */
size_t {{ n }}_system_usable_size(const void *block);

/* What the heap holds, in constant time: {{ name }}.h has the meaning of each number. */
struct {{ n }}_statistics {{ n }}_system_statistics(void);

/* Verifies the heap: 0, or the number of the first invariant that is broken. Time linear in the blocks, and the lock is held. */
unsigned int {{ n }}_system_check(void);

#ifdef __cplusplus
}
#endif

#endif
