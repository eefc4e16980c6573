/* Plays every heap error on every heap and prints what the heap says: a line for a heap, a digit for a heap error. */
#include <stdio.h>
#include <string.h>

#include "tell.h"
#include "heaps.h"

#define REGION 32000U
#define MARGIN 256U
/* The case without a block: what a size is asked of is no part of the heap that could remember it. */
#define NO_BLOCK 16U

struct heap {
    bool (*init)(void *region, size_t bytes);
    void *(*allocate)(size_t size);
    void *(*reallocate)(void *block, size_t size);
    void (*free)(void *block);
    size_t (*usable)(const void *block);
    unsigned int (*last)(void);
    size_t word;
    /* A bit for each case that it plays. */
    unsigned long cases;
};

#define PART(N)                                                                                       \
    static N N##_it;                                                                                  \
    static bool N##_1(void *region, size_t bytes) { return N##_init(&N##_it, region, bytes); }        \
    static void *N##_2(size_t size) { return N##_allocate(&N##_it, size); }                           \
    static void *N##_3(void *block, size_t size) { return N##_reallocate(&N##_it, block, size, 0U); } \
    static void N##_4(void *block) { N##_free(&N##_it, block); }                                      \
    static size_t N##_5(const void *block) { return N##_usable_size(&N##_it, block); }                \
    static unsigned int N##_6(void) { return N##_last_error(&N##_it); }
#define ROW(N, WORD, CASES) { N##_1, N##_2, N##_3, N##_4, N##_5, N##_6, WORD, CASES }

PARTS

static const struct heap heaps[] = { ROWS };

static unsigned int told;

void tell(unsigned int error)
{
    told = (told == 0U) ? error : told;
}

/* Buddy heaps align their blocks to so much: what is a block of theirs depends on where the region lies. */
static _Alignas(4096) unsigned char memory[REGION + (2U * MARGIN)];
static unsigned char *const region = &memory[MARGIN];
static unsigned char elsewhere[MARGIN];

/* The blocks that live: lists have 40 bytes, so some of these wait on one when they are freed. */
#define BLOCKS 7U
static const size_t sizes[BLOCKS] = { 40U, 56U, 56U, 40U, 72U, 100U, 40U };
static unsigned char *blocks[BLOCKS];

static void make(const struct heap *heap)
{
    memset(memory, 0xA5, sizeof memory);
    told = heap->init(region, REGION) ? 0U : 9U;
    for (unsigned int block = 0U; block < BLOCKS; block++) {
        blocks[block] = heap->allocate(sizes[block]);
    }
}

/* Frees, unless something was told before. */
static void gives(const struct heap *heap, void *block)
{
    if (told == 0U) {
        heap->free(block);
    }
}

/* Frees this block, and those behind it. */
static void gives_from(const struct heap *heap, unsigned int first)
{
    for (unsigned int block = first; block < BLOCKS; block++) {
        gives(heap, blocks[block]);
    }
}

/* Writes to a block after it was freed, and asks for blocks of its size. */
static void writes_late(const struct heap *heap, unsigned int block)
{
    gives(heap, blocks[block]);
    memset(blocks[block], 0x41, sizes[block]);
    for (unsigned int left = 6U; (left > 0U) && (told == 0U); left--) {
        (void)heap->allocate(sizes[block]);
    }
}

/* What only a guard detects, and has to. */
static void play_guarded(const struct heap *heap, unsigned int which)
{
    switch (which) {
    case 17U: /* a byte written behind the end */
        blocks[5][sizes[5]] = 0U;
        gives(heap, blocks[5]);
        break;
    case 18U: /* a byte of a freed block written */
        gives(heap, blocks[1]);
        blocks[1][sizes[1] - 1U] = 0U;
        gives_from(heap, 2U);
        break;
    case 19U: /* all that the guard has before the block written */
        memset(blocks[4] - (3U * heap->word), 0, 3U * heap->word);
        gives(heap, blocks[4]);
        break;
    case 20U: /* a block with damage behind it reallocated */
        blocks[4][sizes[4]] = 0U;
        (void)heap->reallocate(blocks[4], 200U);
        break;
    case 21U: /* freed again after others */
        gives(heap, blocks[1]);
        gives_from(heap, 3U);
        gives(heap, blocks[1]);
        break;
    case 22U: /* the header below the guard written */
        memset(blocks[2] - (4U * heap->word), 0, heap->word);
        gives_from(heap, 2U);
        break;
    default: /* and the block reallocated */
        memset(blocks[2] - (4U * heap->word), 0, heap->word);
        (void)heap->reallocate(blocks[2], 200U);
        break;
    }
}

static void play(const struct heap *heap, unsigned int which)
{
    switch (which) {
    case 0U: /* none */
        gives(heap, blocks[2]);
        gives(heap, blocks[1]);
        gives(heap, heap->reallocate(blocks[0], 90U));
        gives(heap, heap->allocate(heap->usable(blocks[3])));
        break;
    case 1U: /* freed twice */
        gives(heap, blocks[0]);
        gives(heap, blocks[0]);
        break;
    case 2U: /* joined to the block before, and freed again */
        gives(heap, blocks[1]);
        gives(heap, blocks[2]);
        gives(heap, blocks[2]);
        break;
    case 3U: /* freed again after the block behind it */
        gives(heap, blocks[3]);
        gives(heap, blocks[4]);
        gives(heap, blocks[3]);
        break;
    case 4U: /* a pointer into a block */
        memset(blocks[5], 0x11, sizes[5]);
        gives(heap, blocks[5] + 48);
        break;
    case 5U: /* a pointer to something else */
        gives(heap, &elsewhere[64]);
        break;
    case 6U: /* a pointer before the region */
        gives(heap, region - 64);
        break;
    case 7U: /* a pointer a byte off */
        gives(heap, blocks[3] + 1);
        break;
    case 8U: /* written over the end */
        memset(blocks[4], 0x41, heap->usable(blocks[4]) + heap->word);
        gives(heap, blocks[4]);
        break;
    case 9U: /* written over the end, ones */
        memset(blocks[4], 0xFF, heap->usable(blocks[4]) + heap->word);
        gives(heap, blocks[4]);
        gives(heap, blocks[5]);
        break;
    case 10U: /* written before the beginning */
        memset(blocks[4] - heap->word, 0, heap->word);
        gives(heap, blocks[4]);
        break;
    case 11U: /* a freed block written */
        writes_late(heap, 1U);
        break;
    case 12U: /* a freed block that a list may keep written */
        writes_late(heap, 0U);
        break;
    case 13U: /* a pointer to memory that was never used */
        gives(heap, region + 25600U);
        break;
    case 14U: /* a freed block reallocated */
        gives(heap, blocks[0]);
        (void)heap->reallocate(blocks[0], 200U);
        break;
    case 15U: /* a block of the heap before it was made anew */
        (void)heap->init(region, REGION);
        gives(heap, blocks[3]);
        break;
    case NO_BLOCK: /* the size of NULL */
        (void)heap->usable(NULL);
        break;
    default:
        play_guarded(heap, which);
        break;
    }
}

int main(void)
{
    for (size_t heap = 0U; heap < (sizeof heaps / sizeof *heaps); heap++) {
        for (unsigned int which = 0U; (heaps[heap].cases >> which) != 0U; which++) {
            if (((heaps[heap].cases >> which) & 1U) == 0U) {
                printf("-");
                continue;
            }
            make(&heaps[heap]);
            play(&heaps[heap], which);
            printf("%u", told);
            if ((which != NO_BLOCK) && (heaps[heap].last() != told)) {
                printf("?");
            }
        }
        printf("\n");
    }
    return 0;
}
