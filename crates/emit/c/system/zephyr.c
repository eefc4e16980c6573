/* {{ name }}_{{ system.file }}.c: the heap {{ name }} in {{ system.title }}, emitted by heapsmith {{ version }}.
 *
 * A spinlock is held during a call: threads and interrupts of all processors may call. Built as a module (zephyr/module.yml): the
 * options CONFIG_{{ N }} and CONFIG_{{ N }}_BYTES switch it on and size it; CONFIG_{{ N }}_K_MALLOC gives it the names k_malloc, k_free and so on,
 * where the kernel has none (CONFIG_KERNEL_MEM_POOL=n).
{% include "system/options.c" %}
#include "{{ name }}_zephyr.h"

#include <zephyr/spinlock.h>
#include <zephyr/sys/slist.h>

#ifdef CONFIG_{{ N }}_BYTES
#define {{ N }}_SYSTEM_BYTES CONFIG_{{ N }}_BYTES
#endif
{% include "system/region.c" %}
{% include "system/told.c" %}

static struct k_spinlock heap_lock;

#define LOCK() const k_spinlock_key_t before_call = k_spin_lock(&heap_lock)
#define UNLOCK() k_spin_unlock(&heap_lock, before_call)
{% include "system/core.c" %}
{% include "system/clear.c" %}

/* ---- Threads that wait for memory --------------------------------------------------------------------------
 *
 * Each free wakes all of them, and each tries once more: the one whose request fits now may be the last in the list.
 */

typedef struct waiting {
    sys_snode_t node;
    struct k_sem freed;
} Waiting;

static sys_slist_t all_waiting = SYS_SLIST_STATIC_INIT(&all_waiting);

/* What is asked for: a new block, or another size of one. */
typedef struct asked {
    void *block;
    size_t alignment;
    size_t bytes;
} Asked;

/* Tries; where that fails and `waiting` is not NULL, it is in the list before another thread can free. */
static void *try_once(const Asked *asked, Waiting *waiting)
{
    void *found = NULL;

    LOCK();
    if (make_heap()) {
        found = {{ n }}_reallocate(&shared_heap, asked->block, asked->bytes, asked->alignment);
    }
    if ((found == NULL) && (waiting != NULL)) {
        (void)k_sem_init(&waiting->freed, 0U, 1U);
        sys_slist_append(&all_waiting, &waiting->node);
    }
    UNLOCK();
    return found;
}

static void stop_waiting(Waiting *waiting)
{
    LOCK();
    (void)sys_slist_find_and_remove(&all_waiting, &waiting->node);
    UNLOCK();
}

static void wake_all(void)
{
    sys_snode_t *node;

    LOCK();
    node = sys_slist_get(&all_waiting);
    while (node != NULL) {
        k_sem_give(&CONTAINER_OF(node, Waiting, node)->freed);
        node = sys_slist_get(&all_waiting);
    }
    UNLOCK();
}

static void *allocate(const Asked *asked, k_timeout_t timeout)
{
    const k_timepoint_t end = sys_timepoint_calc(timeout);
    const bool waits = (asked->bytes > 0U) && !K_TIMEOUT_EQ(timeout, K_NO_WAIT);
    Waiting waiting;
    void *found = try_once(asked, waits ? &waiting : NULL);

    while ((found == NULL) && waits) {
        if (k_sem_take(&waiting.freed, sys_timepoint_timeout(end)) != 0) {
            stop_waiting(&waiting);
            found = try_once(asked, NULL);
            break;
        }
        found = try_once(asked, &waiting);
    }
    if (found == NULL) {
        REFUSED(asked->bytes);
    }
    return found;
}

/* ---- The calls of k_heap ----------------------------------------------------------------------------------- */

void *{{ n }}_k_alloc(size_t bytes, k_timeout_t timeout)
{
    const Asked asked = { NULL, 0U, bytes };

    return allocate(&asked, timeout);
}

void *{{ n }}_k_aligned_alloc(size_t alignment, size_t bytes, k_timeout_t timeout)
{
    const Asked asked = { NULL, alignment, bytes };

    return allocate(&asked, timeout);
}

void *{{ n }}_k_calloc(size_t number, size_t size, k_timeout_t timeout)
{
    void *block = NULL;

    if ((number == 0U) || (size <= (SIZE_MAX / number))) {
        block = {{ n }}_k_alloc(number * size, timeout);
        if (block != NULL) {
            clear(block, number * size);
        }
    }
    return block;
}

void *{{ n }}_k_realloc(void *block, size_t bytes, k_timeout_t timeout)
{
    const Asked asked = { block, 0U, bytes };
    void *moved;

    if (bytes == 0U) {
        {{ n }}_k_free(block);
        return NULL;
    }
    moved = allocate(&asked, timeout);
    if ((block != NULL) && (moved != NULL)) {
        wake_all(); /* what it left may be enough */
    }
    return moved;
}

void {{ n }}_k_free(void *block)
{
    {{ n }}_system_free(block);
    wake_all();
}

#ifdef CONFIG_{{ N }}_K_MALLOC

/* ---- The names of the kernel's own ------------------------------------------------------------------------- */

void *k_malloc(size_t size)
{
    return {{ n }}_k_alloc(size, K_NO_WAIT);
}

void *k_aligned_alloc(size_t align, size_t size)
{
    return {{ n }}_k_aligned_alloc(align, size, K_NO_WAIT);
}

void *k_calloc(size_t nmemb, size_t size)
{
    return {{ n }}_k_calloc(nmemb, size, K_NO_WAIT);
}

void *k_realloc(void *ptr, size_t size)
{
    return {{ n }}_k_realloc(ptr, size, K_NO_WAIT);
}

void k_free(void *ptr)
{
    {{ n }}_k_free(ptr);
}
#endif
