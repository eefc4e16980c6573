/* malloc and its relatives over the heap {{ n }}, for LD_PRELOAD=lib{{ n }}.so.
 *
{%- if threads %}
 *   malloc, free, ... --> lists of the thread --> one lock --> {{ n }} --> address space, reserved at the first request
{%- for line in spec_lines %}
 *     {{ line }}
{%- endfor %}
{%- else %}
 *   malloc, free, ... --> one lock --> {{ n }} --> a region of address space, reserved at the first request
{%- endif %}
 *
 * The system commits pages of the region as they are touched. A child of fork gets the lock free. Where the C library
 * tells that the process has one thread (glibc 2.32), nothing is locked: an atomic instruction takes longer than a hit.
 * The heap is in this file, so that a hit makes no call.
 * Compile: cc -O2 -fPIC -shared -pthread -fvisibility=hidden -fno-builtin-malloc -o lib{{ n }}.so {{ n }}_malloc.c
 */
#define _GNU_SOURCE
#include <errno.h>
{%- if run %}
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
{%- endif %}
{%- if run or threads %}
#include <malloc.h>
{%- endif %}
#include <pthread.h>
{%- if run %}
#include <stdarg.h>
{%- endif %}
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
{%- if run %}
#include <stdlib.h>
{%- endif %}
#include <string.h>
{%- if purge.delay %}
#include <time.h>
{%- endif %}
#include <linux/futex.h>
#include <sys/mman.h>
{%- if run %}
#include <sys/prctl.h>
{%- endif %}
#include <sys/syscall.h>
#include <unistd.h>
#if defined(__has_include)
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#define IS_ALONE (__libc_single_threaded != 0)
#endif
#endif

#include "{{ n }}.c"

#ifndef IS_ALONE
#define IS_ALONE false
#endif

#define EXPORTED __attribute__((visibility("default")))
/* What a block of malloc is a multiple of: it may hold any type. */
#define OF_ANY_TYPE ((size_t)16)
/* Bytes of address space that are asked for at first, and at last. */
#define RESERVE ((size_t){{ reserve }}U)
#define MIN_RESERVE ((size_t)1 << 20)

static {{ n }} {{ n }}_of_malloc;
static bool {{ n }}_made;
{%- if run %}
static void *region_base;
static size_t region_bytes;
{%- endif %}

/* The lock: an atomic instruction to take it and one to give it, where nobody waits. A mutex of the C library is a call more
 * each. Drepper 2011, "Futexes Are Tricky", mutex 2. */
#define LOCK_FREE 0
#define LOCK_HELD 1
#define LOCK_AWAITED 2
/* How often a thread looks before it sleeps: the lock is mostly held for a few dozen instructions, at times for some thousand,
 * and to sleep and be woken takes longer than either. */
#define LOCK_LOOKS 400

/* Lets the other thread of a core run, and takes a few dozen cycles. */
#if defined(__x86_64__) || defined(__i386__)
#define PAUSE() __builtin_ia32_pause()
#elif defined(__aarch64__) || defined(__arm__)
#define PAUSE() __asm__ volatile("yield")
#else
#define PAUSE() ((void)0)
#endif

static atomic_int lock_state = LOCK_FREE;

static void lock_call(int operation, int value)
{
    const int kept = errno;

    (void)syscall(SYS_futex, &lock_state, operation, value, NULL, NULL, 0);
    errno = kept;
}

static __attribute__((noinline, cold)) void await_lock(void)
{
    for (int looks = 0; looks < LOCK_LOOKS; looks++) {
        int state = atomic_load_explicit(&lock_state, memory_order_relaxed);

        if ((state == LOCK_FREE) &&
            atomic_compare_exchange_weak_explicit(&lock_state, &state, LOCK_HELD, memory_order_acquire, memory_order_relaxed)) {
            return;
        }
        PAUSE();
    }
    while (atomic_exchange_explicit(&lock_state, LOCK_AWAITED, memory_order_acquire) != LOCK_FREE) {
        lock_call(FUTEX_WAIT_PRIVATE, LOCK_AWAITED);
    }
}

static void take_lock(void)
{
    int state = LOCK_FREE;

    if (!atomic_compare_exchange_strong_explicit(&lock_state, &state, LOCK_HELD, memory_order_acquire, memory_order_relaxed)) {
        await_lock();
    }
}

static void give_lock(void)
{
    if (atomic_exchange_explicit(&lock_state, LOCK_FREE, memory_order_release) == LOCK_AWAITED) {
        lock_call(FUTEX_WAKE_PRIVATE, 1);
    }
}

/* Whether the lock was needed, and is held now. */
static bool take_lock_if_shared(void)
{
    const bool is_shared = !IS_ALONE;

    if (is_shared) {
        take_lock();
    }
    return is_shared;
}

static void give_lock_if(bool is_held)
{
    if (is_held) {
        give_lock();
    }
}

{%- if threads and threads.owners %}

static void own_alone(void);

static void be_alone(void)
{
    own_alone();
    give_lock();
}
{%- endif %}

__attribute__((constructor)) static void survive_forks(void)
{
    (void)pthread_atfork(take_lock, give_lock, {{ "be_alone" if threads and threads.owners else "give_lock" }});
}

{%- if threads %}

/* Where a thread has lists, they go to the heap with its end. */
static pthread_key_t own_key;
static void end_own_lists(void *lists);
{%- endif %}
{%- if huge is not none %}

/* Asks the system for huge pages for what lies {{ huge }} bytes above the begin of the region, as far as it has any. */
static void ask_for_huge_pages(char *region, size_t bytes)
{
#if defined(MADV_HUGEPAGE)
    const size_t from = {{ huge }}U;
    const int kept = errno;

    if (from < bytes) {
        (void)madvise(region + from, bytes - from, MADV_HUGEPAGE); /* it may say no */
    }
    errno = kept;
#else
    (void)region;
    (void)bytes;
#endif
}
{%- endif %}

/* Makes the heap at the first request; the lock is held. */
static bool is_ready(void)
{
    for (size_t bytes = RESERVE; !{{ n }}_made && (bytes >= MIN_RESERVE); bytes /= 2U) {
        void *const region =
            mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

        if (region != MAP_FAILED) {
{%- if huge is not none %}
            ask_for_huge_pages(region, bytes);
{%- endif %}
{%- if run %}
            region_base = region;
            region_bytes = bytes;
{%- endif %}
            {{ n }}_made = {{ n }}_init(&{{ n }}_of_malloc, region, bytes);
{%- if threads %}
            (void)pthread_key_create(&own_key, end_own_lists);
{%- endif %}
            break;
        }
    }
    return {{ n }}_made;
}
{%- if run %}
{% include "run/mapped.c" %}
{%- endif %}
{%- if purge %}
{% include "purge.c" %}
{%- endif %}
{%- if threads %}
{% include "threads.c" %}
{%- endif %}

/* A block for any type, or NULL with errno set. A request of 0 bytes gets a block, as programs expect. */
static __attribute__((noinline)) void *serve(size_t size, size_t alignment)
{
    void *block = NULL;
    bool is_held;
{% if run %}
    if (is_large(size)) {
        block = map_apart(size, alignment);
        if (block != NULL) {
            return block;
        }
    }
{%- endif %}
{%- if threads %}
    if (alignment <= OF_ANY_TYPE) {
        const own_number number = own_list_for(size);

        block = own_pop(&own.each[number]);
        block = (block != NULL) ? block : own_fetch(number);
        if (block != NULL) {
            return block;
        }
    }
{%- endif %}
    is_held = take_lock_if_shared();
    if (is_ready()) {
        block = {{ n }}_allocate_aligned(&{{ n }}_of_malloc, (size == 0U) ? 1U : size, alignment);
{%- if purge and not purge.inside %}
        if (size >= PURGE_LARGE) {
            purge_asked();
        }
{%- endif %}
    }
    give_lock_if(is_held);
{%- if run %}
    if (block == NULL) {
        block = map_apart((size == 0U) ? 1U : size, alignment);
    }
{%- endif %}
    if (block == NULL) {
        errno = ENOMEM;
    }
    return block;
}

static bool is_power_of_two(size_t number)
{
    return (number != 0U) && ((number & (number - 1U)) == 0U);
}

EXPORTED void *malloc(size_t size)
{
{%- if threads %}
    void *const block = {{ "is_large(size) ? NULL : " if lists_may_be_large }}own_pop(&own.each[own_list_for(size)]);

    if (block != NULL) {
        return block;
    }
{%- elif hit %}
    if (IS_ALONE && {{ n }}_made) {
        void *const block = pointer_to(&{{ n }}_of_malloc, {{ hit }}(&{{ n }}_of_malloc, size));

        if (block != NULL) {
            return block;
        }
    }
{%- endif %}
    return serve(size, OF_ANY_TYPE);
}

{%- if not threads %}

/* Frees a block of the heap while other threads may use it; errno stays as it is. */
static __attribute__((noinline)) void free_shared(void *block)
{
    take_lock();
    {{ n }}_free(&{{ n }}_of_malloc, block);
{%- if purge %}
    purge_freed(1);
{%- endif %}
    give_lock();
}
{%- endif %}

EXPORTED void free(void *block)
{
{%- if threads %}
    own_number number;
{%- if threads.owners %}
    uint16_t told;
{%- endif %}

{% endif %}
    if (block == NULL) {
        return;
    }
{%- if run %}
    if (!is_of_heap(block)) {
        unmap(block);
        return;
    }
{%- endif %}
{%- if threads %}
{%- if threads.owners %}
    told = own_told(block);
    number = own_list_told(told);
    if (((told / 256U) == own.owner) && (own.each[number].count < own.each[number].granted)) {
{%- else %}
    number = own_list_of(block);
    if (own.each[number].count < own.each[number].granted) {
{%- endif %}
        own_push(&own.each[number], block);
    } else {
        own_free(block, number);
    }
{%- else %}
    if (IS_ALONE) {
        {{ n }}_free(&{{ n }}_of_malloc, block);
{%- if purge %}
        purge_freed(1);
{%- endif %}
    } else {
        free_shared(block);
    }
{%- endif %}
}

EXPORTED void *calloc(size_t number, size_t size)
{
    void *block;
    size_t bytes;

    if (__builtin_mul_overflow(number, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    block = serve(bytes, OF_ANY_TYPE);
{%- if run %}
    if ((block != NULL) && !is_of_heap(block)) {
        return block;
    }
{%- endif %}
    return (block == NULL) ? NULL : memset(block, 0, bytes);
}


/* A block of the heap in another size, by the heap; NULL if it cannot, and the block is as it was. */
static void *resize_by_heap(void *block, size_t size)
{
    const bool is_held = take_lock_if_shared();
    void *const moved = {{ n }}_reallocate(&{{ n }}_of_malloc, block, size, OF_ANY_TYPE);

    give_lock_if(is_held);
    return moved;
}
{%- if run or threads %}

/* A block in another size, where it is or elsewhere; NULL if there is no memory, and the block is as it was. */
static void *resize(void *block, size_t size)
{
{%- if run %}
    const bool is_here = is_of_heap(block);
    void *moved = NULL;
    size_t usable;

    if (is_here && !is_large(size)) {
        moved = resize_by_heap(block, size);
    } else if (!is_here && is_large(size)) {
        moved = remap(block, size);
    }
{%- else %}
    void *moved = resize_by_heap(block, size);
    size_t usable;

{%- endif %}
    if (moved != NULL) {
        return moved;
    }
    moved = serve(size, OF_ANY_TYPE);
    if (moved != NULL) {
        usable = malloc_usable_size(block);
        memcpy(moved, block, (size < usable) ? size : usable);
        free(block);
    }
    return moved;
}
{%- endif %}

EXPORTED void *realloc(void *block, size_t size)
{
{%- if not (run or threads) %}
    void *moved;
{% endif %}

    if (block == NULL) {
        return serve(size, OF_ANY_TYPE);
    }
    if (size == 0U) {
        free(block);
        return NULL;
    }
{%- if run or threads %}
    return resize(block, size);
{%- else %}
    moved = resize_by_heap(block, size);
    if (moved == NULL) {
        errno = ENOMEM;
    }
    return moved;
{%- endif %}
}

EXPORTED void *reallocarray(void *block, size_t number, size_t size)
{
    size_t bytes;

    if (__builtin_mul_overflow(number, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(block, bytes);
}

EXPORTED void *aligned_alloc(size_t alignment, size_t size)
{
    if (!is_power_of_two(alignment)) {
        errno = EINVAL;
        return NULL;
    }
    return serve(size, (alignment < OF_ANY_TYPE) ? OF_ANY_TYPE : alignment);
}

/* As the GNU C library has it: to a multiple of the next power of two. */
EXPORTED void *memalign(size_t alignment, size_t size)
{
    size_t power = OF_ANY_TYPE;

    while ((power < alignment) && (power <= (SIZE_MAX / 2U))) {
        power *= 2U;
    }
    return aligned_alloc((power < alignment) ? 0U : power, size);
}

EXPORTED int posix_memalign(void **place, size_t alignment, size_t size)
{
    const int kept = errno;
    void *block;

    if (!is_power_of_two(alignment) || ((alignment % sizeof(void *)) != 0U)) {
        return EINVAL;
    }
    block = memalign(alignment, size);
    errno = kept;
    if (block == NULL) {
        return ENOMEM;
    }
    *place = block;
    return 0;
}

EXPORTED void *valloc(size_t size)
{
    return memalign((size_t)sysconf(_SC_PAGESIZE), size);
}

EXPORTED void *pvalloc(size_t size)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t whole;

    if (__builtin_add_overflow(size, page - 1U, &whole)) {
        errno = ENOMEM;
        return NULL;
    }
    return memalign(page, whole & ~(page - 1U));
}

/* The most bytes of the region that the heap ever used, for those who ask by this name: takes time linear in the blocks. */
EXPORTED size_t {{ n }}_malloc_footprint_peak(void);

EXPORTED size_t {{ n }}_malloc_footprint_peak(void)
{
    size_t bytes = 0U;
    const bool is_held = take_lock_if_shared();

    if ({{ n }}_made) {
        bytes = {{ n }}_statistics(&{{ n }}_of_malloc).footprint_peak;
    }
    give_lock_if(is_held);
    return bytes;
}

EXPORTED size_t malloc_usable_size(void *block)
{
    size_t bytes = 0U;

{% if run %}
    if ((block != NULL) && !is_of_heap(block)) {
        return mapped_usable(block);
    }
{%- endif %}
    if (block != NULL) {
        const bool is_held = take_lock_if_shared();

        bytes = {{ n }}_usable_size(&{{ n }}_of_malloc, block);
        give_lock_if(is_held);
    }
    return bytes;
}
{%- if run %}
{% include "run/witness.c" %}
{%- endif %}
