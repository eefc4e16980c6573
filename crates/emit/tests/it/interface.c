/* The macros that may be defined, NULL and 0, and what `check` says of damage. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int locked;
static int making;
static const void *last_old;
static size_t last_alignment;
static unsigned int locks;
static char traced[64];
static unsigned int counted;

static void must(int holds, const char *what)
{
    if (!holds) {
        printf("not so: %s\n", what);
        exit(1);
    }
}

static unsigned int leading_zeros(unsigned int word)
{
    counted++;
    return (unsigned int)__builtin_clz(word);
}

static unsigned int trailing_zeros(unsigned int word)
{
    counted++;
    return (unsigned int)__builtin_ctz(word);
}

/* The heap reads and writes its region with the lock held alone, but where it is made. */
#define MY_HEAP_ASSERT(condition) must((condition) && (locked || making), #condition)
#define MY_HEAP_LOCK(heap) (must(!locked, "no lock is taken twice"), locked = 1, locks++)
#define MY_HEAP_UNLOCK(heap) (must(locked, "what is unlocked was locked"), locked = 0)
#define MY_HEAP_TRACE(heap, what, old, block, size, alignment) note(what, old, block, size, alignment)

static void note(char what, const void *old, const void *block, size_t size, size_t alignment)
{
    must(locked, "calls are traced alone");
    must((old == NULL) == (what == 'a'), "the block that was given");
    must(what != 'f' || (block == NULL && size == 0U && alignment == 0U), "a free has no more");
    traced[strlen(traced)] = (char)((block == NULL && what != 'f') ? '-' : what);
    last_old = old;
    last_alignment = alignment;
}

#define MY_HEAP_COUNT_LEADING_ZEROS(word) leading_zeros(word)
#define MY_HEAP_COUNT_TRAILING_ZEROS(word) trailing_zeros(word)

#include "my_heap.c"

static _Alignas(64) unsigned char region[8192];

static void serves(my_heap *heap)
{
    unsigned char *block = my_heap_allocate(heap, 100);
    unsigned char *other = my_heap_allocate_aligned(heap, 100, 256);
    unsigned char *moved;

    must(block != NULL && other != NULL && ((uintptr_t)other % 256U) == 0U, "aligned");
    must(my_heap_usable_size(heap, block) >= 100U, "usable");
    (void)memset(block, 7, 100);
    locks = 0U;
    must(my_heap_usable_size(heap, block) >= 100U && locks == 1U, "a header is read alone");
    moved = my_heap_reallocate(heap, block, 200, 1);
    must(last_old == block && last_alignment == 1U, "the old block and the alignment are traced");
    block = moved;
    must(block != NULL && block[0] == 7 && block[99] == 7, "contents are kept");
    must(my_heap_reallocate(heap, block, 0, 1) == NULL && block[0] == 7, "a refused reallocation leaves the block");
    must(my_heap_reallocate(heap, block, 100000, 1) == NULL && block[0] == 7, "as does one of too much");
    must(my_heap_allocate(heap, 0) == NULL && my_heap_allocate(heap, SIZE_MAX) == NULL, "0 and too much are refused");
    must(my_heap_allocate_aligned(heap, 8, 24) == NULL, "an alignment is a power of two");
    my_heap_free(heap, NULL);
    my_heap_free(heap, other);
    my_heap_free(heap, block);
    block = my_heap_reallocate(heap, NULL, 50, 1);
    must(block != NULL, "a NULL block is allocated");
    my_heap_free(heap, block);
    must(strcmp(traced, "aar-----ffaf") == 0, "calls are traced, refused ones, too");
    must(!locked && locks > 0U, "every lock is released");
    must(counted > 0U, "zeros are counted as was asked");
}

static void counts(my_heap *heap)
{
    const struct my_heap_statistics before = my_heap_statistics(heap);
    void *block = my_heap_allocate(heap, 1000);
    const struct my_heap_statistics after = my_heap_statistics(heap);

    must(before.region == sizeof region && before.used_blocks == 0U && before.used_bytes == 0U, "an empty heap");
    must(after.used_blocks == 1U && after.used_bytes == my_heap_usable_size(heap, block), "a block is counted");
    must(after.footprint_peak >= after.footprint && after.footprint > before.footprint, "footprints");
    my_heap_free(heap, block);
}

/* Every word of the footprint that is changed is either seen, or is a payload or a measure. */
static unsigned int damage_seen(my_heap *heap)
{
    uint32_t *const words = (uint32_t *)(void *)region;
    const size_t end = my_heap_statistics(heap).footprint / 4U;
    unsigned int seen = 0U;

    must(my_heap_check(heap) == 0U, "a sound heap");
    for (size_t at = 0U; at < end; at++) {
        const uint32_t kept = words[at];

        words[at] = kept ^ 0x10U;
        seen += (my_heap_check(heap) != 0U) ? 1U : 0U;
        words[at] = kept;
    }
    must(my_heap_check(heap) == 0U, "sound again");
    return seen;
}

int main(void)
{
    my_heap heap;
    void *blocks[8];

    making = 1;
    must(!my_heap_init(&heap, NULL, 4096), "no region");
    must(!my_heap_init(&heap, region + 1, 4096), "a region that begins at no word");
    must(!my_heap_init(&heap, region, 8), "a region too small");
    must(my_heap_init(&heap, region, sizeof region), "a region");
    making = 0;
    serves(&heap);
    counts(&heap);
    for (int number = 0; number < 8; number++) {
        blocks[number] = my_heap_allocate(&heap, 40U + (16U * (unsigned int)number));
    }
    for (int number = 0; number < 8; number += 2) {
        my_heap_free(&heap, blocks[number]);
    }
    /* Headers of eight blocks and of the wilderness, tags and links of four, and their heads. */
    printf("seen %u\n", damage_seen(&heap));
    return 0;
}
