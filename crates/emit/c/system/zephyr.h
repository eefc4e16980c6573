/* {{ name }}_zephyr.h: the heap {{ name }} with calls like those of k_heap in {{ system.title }}, emitted by heapsmith {{ version }}. */
#ifndef {{ N }}_ZEPHYR_H
#define {{ N }}_ZEPHYR_H

#include <zephyr/kernel.h>

#include "{{ name }}_system.h"

#ifdef __cplusplus
extern "C" {
#endif

/* As k_heap_alloc and its family. A thread may wait for memory, which {{ n }}_k_free and {{ n }}_k_realloc end; an interrupt
 * passes K_NO_WAIT. */
void *{{ n }}_k_alloc(size_t bytes, k_timeout_t timeout);
void *{{ n }}_k_aligned_alloc(size_t alignment, size_t bytes, k_timeout_t timeout);
void *{{ n }}_k_calloc(size_t number, size_t size, k_timeout_t timeout);
void *{{ n }}_k_realloc(void *block, size_t bytes, k_timeout_t timeout);
void {{ n }}_k_free(void *block);

#ifdef __cplusplus
}
#endif

#endif
