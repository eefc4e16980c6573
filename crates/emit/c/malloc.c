/* malloc and its relatives over the heap {{ n }}, for LD_PRELOAD=lib{{ n }}.so.
 *
 *   malloc, free, ... --> one lock --> {{ n }} --> a region of address space, reserved at the first request
 *
 * The system commits pages of the region as they are touched. A child of fork gets the lock free. Where the C library
 * tells that the process has one thread (glibc 2.32), nothing is locked: an atomic instruction takes longer than a hit.
 * Compile: cc -O2 -fPIC -shared -pthread -fvisibility=hidden -fno-builtin-malloc -o lib{{ n }}.so {{ n }}.c {{ n }}_malloc.c
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#if defined(__has_include)
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#define IS_ALONE (__libc_single_threaded != 0)
#endif
#endif

#include "{{ n }}.h"

#ifndef IS_ALONE
#define IS_ALONE false
#endif

#define EXPORTED __attribute__((visibility("default")))
/* What a block of malloc is a multiple of: it may hold any type. */
#define ALIGNMENT ((size_t)16)
/* Bytes of address space that are asked for at first, and at last. */
#define RESERVE ((size_t){{ reserve }}U)
#define MIN_RESERVE ((size_t)1 << 20)

static {{ n }} {{ n }}_of_malloc;
static bool {{ n }}_made;
static pthread_mutex_t {{ n }}_lock = PTHREAD_MUTEX_INITIALIZER;

static void take_lock(void)
{
    (void)pthread_mutex_lock(&{{ n }}_lock);
}

static void give_lock(void)
{
    (void)pthread_mutex_unlock(&{{ n }}_lock);
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

__attribute__((constructor)) static void survive_forks(void)
{
    (void)pthread_atfork(take_lock, give_lock, give_lock);
}

/* Makes the heap at the first request; the lock is held. */
static bool is_ready(void)
{
    for (size_t bytes = RESERVE; !{{ n }}_made && (bytes >= MIN_RESERVE); bytes /= 2U) {
        void *const region =
            mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

        if (region != MAP_FAILED) {
            {{ n }}_made = {{ n }}_init(&{{ n }}_of_malloc, region, bytes);
            break;
        }
    }
    return {{ n }}_made;
}

/* A block for any type, or NULL with errno set. A request of 0 bytes gets a block, as programs expect. */
static void *serve(size_t size, size_t alignment)
{
    void *block = NULL;
    const bool is_held = take_lock_if_shared();

    if (is_ready()) {
        block = {{ n }}_allocate_aligned(&{{ n }}_of_malloc, (size == 0U) ? 1U : size, alignment);
    }
    give_lock_if(is_held);
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
    return serve(size, ALIGNMENT);
}

EXPORTED void free(void *block)
{
    if (block != NULL) {
        const int kept = errno;
        const bool is_held = take_lock_if_shared();

        {{ n }}_free(&{{ n }}_of_malloc, block);
        give_lock_if(is_held);
        errno = kept;
    }
}

EXPORTED void *calloc(size_t number, size_t size)
{
    void *block;
    size_t bytes;

    if (__builtin_mul_overflow(number, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    block = serve(bytes, ALIGNMENT);
    return (block == NULL) ? NULL : memset(block, 0, bytes);
}

EXPORTED void *realloc(void *block, size_t size)
{
    void *moved;
    bool is_held;

    if (block == NULL) {
        return serve(size, ALIGNMENT);
    }
    if (size == 0U) {
        free(block);
        return NULL;
    }
    is_held = take_lock_if_shared();
    moved = {{ n }}_reallocate(&{{ n }}_of_malloc, block, size, ALIGNMENT);
    give_lock_if(is_held);
    if (moved == NULL) {
        errno = ENOMEM;
    }
    return moved;
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

EXPORTED void *memalign(size_t alignment, size_t size)
{
    if (!is_power_of_two(alignment)) {
        errno = EINVAL;
        return NULL;
    }
    return serve(size, (alignment < ALIGNMENT) ? ALIGNMENT : alignment);
}

EXPORTED void *aligned_alloc(size_t alignment, size_t size)
{
    return memalign(alignment, size);
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

    if (block != NULL) {
        const bool is_held = take_lock_if_shared();

        bytes = {{ n }}_usable_size(&{{ n }}_of_malloc, block);
        give_lock_if(is_held);
    }
    return bytes;
}
