/* A part of the stand-in. */
#ifndef ZEPHYR_SYS_HEAP_LISTENER_H
#define ZEPHYR_SYS_HEAP_LISTENER_H

#include <stddef.h>
#include <stdint.h>

enum heap_event_types { HEAP_EVT_UNKNOWN = 0, HEAP_RESIZE, HEAP_ALLOC, HEAP_FREE };

struct heap_listener {
    uintptr_t heap_id;
    enum heap_event_types event;
    void (*alloc_cb)(uintptr_t heap_id, void *mem, size_t bytes);
    void (*free_cb)(uintptr_t heap_id, void *mem, size_t bytes);
};

#define HEAP_ID_FROM_POINTER(heap_pointer) ((uintptr_t)heap_pointer)
#define HEAP_LISTENER_ALLOC_DEFINE(name, id, callback) \
    struct heap_listener name = { .heap_id = (id), .event = HEAP_ALLOC, .alloc_cb = (callback) }
#define HEAP_LISTENER_FREE_DEFINE(name, id, callback) \
    struct heap_listener name = { .heap_id = (id), .event = HEAP_FREE, .free_cb = (callback) }

void heap_listener_register(struct heap_listener *listener);

#endif
