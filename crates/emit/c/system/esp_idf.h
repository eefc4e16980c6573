/* {{ name }}_esp_idf.h: the heap {{ name }} with calls like those of heap_caps in {{ system.title }}, emitted by heapsmith {{ version }}. */
#ifndef {{ N }}_ESP_IDF_H
#define {{ N }}_ESP_IDF_H

#include "esp_heap_caps.h"

#include "{{ name }}_system.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the memory of the region can do: a request for anything else is not this heap's. */
#ifndef {{ N }}_SYSTEM_CAPS
#define {{ N }}_SYSTEM_CAPS (MALLOC_CAP_INTERNAL | MALLOC_CAP_8BIT | MALLOC_CAP_32BIT | MALLOC_CAP_DEFAULT)
#endif

/* As heap_caps_malloc: from this heap if it has all of `caps` and room, else from the heaps of the system. */
void *{{ n }}_caps_malloc(size_t size, uint32_t caps);

/* Frees a block, whichever heap it is of; NULL is none. */
void {{ n }}_caps_free(void *block);

#ifdef __cplusplus
}
#endif

#endif
