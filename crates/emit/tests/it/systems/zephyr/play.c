/* The wrapper for Zephyr, on a stand-in of its interface, in which a wait for a semaphore is a function of the test: it frees
 * a block, as another thread would, or lets the time end. */
#include "sys_heap_zephyr.h"

#include <zephyr/spinlock.h>

#define BYTES SYS_HEAP_SYSTEM_BYTES
#define ALLOCATE(size) sys_heap_k_alloc(size, K_NO_WAIT)
#define FREE(block) sys_heap_k_free(block)
#include "../play.h"

/* What other threads free while one waits. */
static void *freed_by_others[8];
static unsigned int many_freed, waits;

k_spinlock_key_t k_spin_lock(struct k_spinlock *l)
{
    REQUIRE(l->held == 0);
    l->held = 1;
    note_lock();
    return (k_spinlock_key_t){ 3 };
}

void k_spin_unlock(struct k_spinlock *l, k_spinlock_key_t key)
{
    REQUIRE((key.key == 3) && (l->held == 1));
    l->held = 0;
    note_unlock();
}

k_timepoint_t sys_timepoint_calc(k_timeout_t timeout)
{
    return (k_timepoint_t){ (uint64_t)timeout.ticks };
}

k_timeout_t sys_timepoint_timeout(k_timepoint_t timepoint)
{
    return (k_timeout_t){ (int64_t)timepoint.tick };
}

int k_sem_init(struct k_sem *sem, unsigned int initial_count, unsigned int limit)
{
    sem->count = initial_count;
    sem->limit = limit;
    return 0;
}

int k_sem_take(struct k_sem *sem, k_timeout_t timeout)
{
    REQUIRE((locks == 0) && (timeout.ticks != 0));
    waits++;
    if (many_freed > 0U) {
        many_freed--;
        sys_heap_k_free(freed_by_others[many_freed]);
    }
    if (sem->count == 0U) {
        return -11; /* the time is over */
    }
    sem->count--;
    return 0;
}

void k_sem_give(struct k_sem *sem)
{
    sem->count += (sem->count < sem->limit) ? 1U : 0U;
}

void sys_slist_append(sys_slist_t *list, sys_snode_t *node)
{
    sys_snode_t **end = &list->head;

    REQUIRE(locks == 1);
    while (*end != NULL) {
        end = &(*end)->next;
    }
    *end = node;
    node->next = NULL;
}

sys_snode_t *sys_slist_get(sys_slist_t *list)
{
    sys_snode_t *const node = list->head;

    REQUIRE(locks == 1);
    if (node != NULL) {
        list->head = node->next;
    }
    return node;
}

bool sys_slist_find_and_remove(sys_slist_t *list, sys_snode_t *node)
{
    REQUIRE(locks == 1);
    for (sys_snode_t **at = &list->head; *at != NULL; at = &(*at)->next) {
        if (*at == node) {
            *at = node->next;
            return true;
        }
    }
    return false;
}

int main(void)
{
    void *block;
    unsigned int taken = 0U;

    REQUIRE(play() > 0U);
    /* Eight blocks leave no room for a ninth. */
    while ((taken < 8U) && ((freed_by_others[taken] = sys_heap_k_alloc(BYTES / 10U, K_NO_WAIT)) != NULL)) {
        taken++;
    }
    REQUIRE(taken >= 3U);
    REQUIRE((sys_heap_k_alloc(BYTES / 3U, K_NO_WAIT) == NULL) && (waits == 0U));
    /* Nothing is freed: the time ends, and nobody is in the list any more. */
    REQUIRE((sys_heap_k_alloc(BYTES / 3U, K_TICKS(10)) == NULL) && (waits == 1U));
    /* Each free wakes the thread, until there is room. */
    many_freed = taken;
    block = sys_heap_k_alloc(BYTES / 3U, K_FOREVER);
    REQUIRE((block != NULL) && (waits > 2U));
    block = sys_heap_k_realloc(block, 50U, K_NO_WAIT);
    REQUIRE(block != NULL);
    REQUIRE(sys_heap_k_realloc(block, 0U, K_NO_WAIT) == NULL);
    while (many_freed > 0U) {
        many_freed--;
        sys_heap_k_free(freed_by_others[many_freed]);
    }
    REQUIRE(sys_heap_k_calloc(SIZE_MAX / 2U, 3U, K_NO_WAIT) == NULL);
    block = k_calloc(3U, 7U);
    for (size_t at = 0U; at < 21U; at++) {
        REQUIRE(((unsigned char *)block)[at] == 0U);
    }
    block = k_realloc(block, 300U);
    k_free(block);
    block = k_aligned_alloc(32U, 10U);
    REQUIRE((block != NULL) && (((uintptr_t)block % 32U) == 0U));
    k_free(block);
    k_free(k_malloc(20U));
    REQUIRE(sys_heap_system_statistics().live_blocks == 0U);
    REQUIRE((locks == 0) && (max_locks == 1));
    (void)puts("as the documentation says");
    return 0;
}
