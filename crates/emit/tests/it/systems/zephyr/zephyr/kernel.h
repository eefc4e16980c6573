/* A stand-in that we wrote for tests: of the published interface of Zephyr, the names that the wrapper uses. */
#ifndef ZEPHYR_KERNEL_H
#define ZEPHYR_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sys/slist.h"

#define CONTAINER_OF(pointer, type, field) ((type *)(void *)((char *)(pointer) - offsetof(type, field)))

typedef struct {
    int64_t ticks;
} k_timeout_t;
typedef struct {
    uint64_t tick;
} k_timepoint_t;

#define K_NO_WAIT ((k_timeout_t){ 0 })
#define K_FOREVER ((k_timeout_t){ -1 })
#define K_TICKS(count) ((k_timeout_t){ (count) })
#define K_TIMEOUT_EQ(first, second) ((first).ticks == (second).ticks)

k_timepoint_t sys_timepoint_calc(k_timeout_t timeout);
k_timeout_t sys_timepoint_timeout(k_timepoint_t timepoint);

struct k_sem {
    unsigned int count;
    unsigned int limit;
};
int k_sem_init(struct k_sem *sem, unsigned int initial_count, unsigned int limit);
int k_sem_take(struct k_sem *sem, k_timeout_t timeout);
void k_sem_give(struct k_sem *sem);

unsigned int irq_lock(void);
void irq_unlock(unsigned int key);

void *k_malloc(size_t size);
void *k_aligned_alloc(size_t align, size_t size);
void *k_calloc(size_t nmemb, size_t size);
void *k_realloc(void *ptr, size_t size);
void k_free(void *ptr);

#endif
