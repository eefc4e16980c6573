/* {{ name }}_{{ system.file }}.c: the heap {{ name }} as malloc of a program with {{ system.title }}, emitted by heapsmith {{ version }}.
 *
 * Link it and {{ name }}.c with the program: the library's own malloc is then left out, and printf, fopen and operator new take
 * their blocks from this heap. These may be defined when it is compiled:
 *     {{ N }}_SYSTEM_BYTES             bytes of the region{% if reserve %}; by default {{ reserve }}, {{ reserve_words }}{% endif %}
 *     {{ N }}_SYSTEM_REGION            its address, a multiple of {{ grid }} for the offsets that were explored; by default it is a variable
{%- if reentrant %}
 *     {{ N }}_SYSTEM_OTHER_LOCK        __malloc_lock and __malloc_unlock are defined elsewhere, and may nest. By default they are here,
 *                                      and interrupts are off in between
{%- else %}
 *     {{ N }}_SYSTEM_LOCK(), {{ N }}_SYSTEM_UNLOCK()   by default interrupts are off during a call
{%- endif %}
 *     {{ N }}_SYSTEM_ASSERT(condition), {{ N }}_SYSTEM_OUT_OF_MEMORY(size)   each does nothing by default
 *
 * A request for 0 bytes gets a block, as other programs expect. sbrk is not called.
 */
#include "{{ name }}_system.h"

#include <errno.h>
#include <malloc.h>
{%- if reentrant %}
#include <reent.h>
{%- endif %}
#include <stdlib.h>
{% include "system/region.c" %}
{% include "system/told.c" %}
{%- if reentrant %}

/* ---- The lock: it nests ------------------------------------------------------------------------------ */

#ifndef {{ N }}_SYSTEM_OTHER_LOCK
{% include "system/interrupts.c" %}

static unsigned int locks_held = 0U;
#ifdef {{ N }}_SYSTEM_LOCK
#error "of newlib the lock is __malloc_lock: define {{ N }}_SYSTEM_OTHER_LOCK, and the two functions"
#endif
static Interrupts before_first;

void __malloc_lock(struct _reent *reent)
{
    const Interrupts before = interrupts_off();

    (void)reent;
    if (locks_held == 0U) {
        before_first = before;
    }
    locks_held++;
}

void __malloc_unlock(struct _reent *reent)
{
    (void)reent;
    locks_held--;
    if (locks_held == 0U) {
        interrupts_as(before_first);
    }
}
#undef LOCK
#undef UNLOCK
#endif

#define LOCK() __malloc_lock(_REENT)
#define UNLOCK() __malloc_unlock(_REENT)
{%- else %}
{% include "system/interrupts.c" %}
{%- endif %}
{% include "system/core.c" %}
{% include "system/clear.c" %}

#if defined(__STDC_VERSION__) && (__STDC_VERSION__ >= 201112L)
{{ N }}_ASSERT_ALIGNED(max_align_t);
#endif

/* The library's headers declare these for later standards, or for POSIX. */
void *aligned_alloc(size_t alignment, size_t size);
int posix_memalign(void **block, size_t alignment, size_t size);

/* ---- The names of the C library -------------------------------------------------------------------------- */

/* A block, or NULL and the reason in `error`. */
static void *block_or_error(void *block, int *error)
{
    if (block == NULL) {
        *error = ENOMEM;
    }
    return block;
}

static void *allocate(int *error, size_t size)
{
    return block_or_error({{ n }}_system_allocate((size > 0U) ? size : 1U, 0U), error);
}

static void *allocate_zeroes(int *error, size_t number, size_t size)
{
    void *block;

    if ((number > 0U) && (size > (SIZE_MAX / number))) {
        *error = ENOMEM;
        return NULL;
    }
    block = allocate(error, number * size);
    if (block != NULL) {
        clear(block, number * size);
    }
    return block;
}

static void *allocate_aligned(int *error, size_t alignment, size_t size)
{
    if ((alignment == 0U) || ((alignment & (alignment - 1U)) != 0U)) {
        *error = EINVAL;
        return NULL;
    }
    return block_or_error({{ n }}_system_allocate((size > 0U) ? size : 1U, alignment), error);
}

/* A size of 0 frees the block. */
static void *reallocate(int *error, void *block, size_t size)
{
    if ((size == 0U) && (block != NULL)) {
        {{ n }}_system_free(block);
        return NULL;
    }
    return block_or_error({{ n }}_system_reallocate(block, (size > 0U) ? size : 1U, 0U), error);
}

static struct mallinfo information(void)
{
    const struct {{ n }}_statistics counts = {{ n }}_system_statistics();
    struct mallinfo found = { 0 };

    found.arena = counts.region;
    found.fordblks = counts.free_bytes;
    found.uordblks = counts.region - counts.free_bytes;
    return found;
}
{% if reentrant %}
void *_malloc_r(struct _reent *reent, size_t size)
{
    return allocate(&reent->_errno, size);
}

void _free_r(struct _reent *reent, void *block)
{
    (void)reent;
    {{ n }}_system_free(block);
}

void *_realloc_r(struct _reent *reent, void *block, size_t size)
{
    return reallocate(&reent->_errno, block, size);
}

void *_calloc_r(struct _reent *reent, size_t number, size_t size)
{
    return allocate_zeroes(&reent->_errno, number, size);
}

void *_memalign_r(struct _reent *reent, size_t alignment, size_t size)
{
    return allocate_aligned(&reent->_errno, alignment, size);
}

size_t _malloc_usable_size_r(struct _reent *reent, void *block)
{
    (void)reent;
    return {{ n }}_system_usable_size(block);
}

struct mallinfo _mallinfo_r(struct _reent *reent)
{
    (void)reent;
    return information();
}
{% endif %}
void *malloc(size_t size)
{
    return allocate(&errno, size);
}

void free(void *block)
{
    {{ n }}_system_free(block);
}

void *realloc(void *block, size_t size)
{
    return reallocate(&errno, block, size);
}

void *calloc(size_t number, size_t size)
{
    return allocate_zeroes(&errno, number, size);
}

void *memalign(size_t alignment, size_t size)
{
    return allocate_aligned(&errno, alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return allocate_aligned(&errno, alignment, size);
}


int posix_memalign(void **block, size_t alignment, size_t size)
{
    int error = 0;
    void *const aligned = ((alignment % sizeof(void *)) == 0U) ? allocate_aligned(&error, alignment, size) : NULL;

    if (aligned == NULL) {
        return (error == ENOMEM) ? ENOMEM : EINVAL;
    }
    *block = aligned;
    return 0;
}

size_t malloc_usable_size(void *block)
{
    return {{ n }}_system_usable_size(block);
}

struct mallinfo mallinfo(void)
{
    return information();
}
