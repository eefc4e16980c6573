/* Plays tapes (tape.rs) on emitted heaps and compares every answer and the bytes of the region. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heaps.h"

#define NONE UINT64_MAX
#define SLOTS (1U << 16)
#define REGION (4U << 20)

struct heap {
    bool (*init)(void *region, size_t bytes);
    void *(*allocate)(size_t size, size_t alignment);
    void *(*reallocate)(void *block, size_t size, size_t alignment);
    bool (*free)(void *block);
    size_t (*usable)(const void *block);
    unsigned int (*check)(void);
    size_t (*footprint)(void);
    size_t (*peak)(void);
    void (*counts)(uint64_t counts[5]);
    uint64_t (*walk)(void);
    void *(*urgent)(size_t size, size_t alignment);
};

static uint64_t add(uint64_t hash, uint64_t number)
{
    uint64_t sum = hash;

    for (unsigned int byte = 0U; byte < 64U; byte += 8U) {
        sum = (sum ^ ((number >> byte) & 0xFFU)) * UINT64_C(0x100000001B3);
    }
    return sum;
}

static void look(void *context, const void *block, size_t bytes, unsigned int status);


#define PART(N, MADE, FREE)                                                                                    \
    static N N##_it;                                                                                  \
    static bool N##_1(void *region, size_t bytes) { return MADE; }       \
    static void *N##_2(size_t size, size_t alignment)                                                 \
    {                                                                                                 \
        return (alignment == 1U) ? N##_allocate(&N##_it, size) : N##_allocate_aligned(&N##_it, size, alignment); \
    }                                                                                                 \
    static void *N##_3(void *block, size_t size, size_t alignment)                                    \
    {                                                                                                 \
        return N##_reallocate(&N##_it, block, size, alignment);                                       \
    }                                                                                                 \
    static bool N##_4(void *block) { return FREE; }                                                    \
    static size_t N##_5(const void *block) { return N##_usable_size(&N##_it, block); }                \
    static unsigned int N##_6(void) { return N##_check(&N##_it); }                                    \
    static size_t N##_7(void) { return N##_statistics(&N##_it).footprint; }                           \
    static size_t N##_8(void) { return N##_statistics(&N##_it).footprint_peak; }
#define COUNTERS(N)                                                                                   \
    static void N##_9(uint64_t counts[5])                                                             \
    {                                                                                                 \
        const struct N##_statistics found = N##_statistics(&N##_it);                                  \
        counts[0] = found.live_blocks;                                                                \
        counts[1] = found.free_bytes;                                                                 \
        counts[2] = found.min_free_bytes;                                                             \
        counts[3] = found.refused;                                                                    \
        counts[4] = found.largest_request;                                                            \
    }
#define WALK(N)                                                                                       \
    static uint64_t N##_10(void)                                                                      \
    {                                                                                                 \
        uint64_t hash = UINT64_C(0xCBF29CE484222325);                                                 \
        N##_walk(&N##_it, look, &hash);                                                               \
        return hash;                                                                                  \
    }
#define RESERVE(N)                                                                                    \
    static void *N##_11(size_t size, size_t alignment)                                                \
    {                                                                                                 \
        return N##_allocate_urgent(&N##_it, size, alignment);                                         \
    }
#define ROW(N, COUNTS, WALKS, URGENT) \
    { N##_1, N##_2, N##_3, N##_4, N##_5, N##_6, N##_7, N##_8, COUNTS, WALKS, URGENT }

PARTS

static const struct heap heaps[] = { ROWS };

struct step {
    uint32_t kind, slot;
    uint64_t size, alignment, answer, usable;
};

static _Alignas(4096) unsigned char region[REGION];
static unsigned char *slots[SLOTS];

static void look(void *context, const void *block, size_t bytes, unsigned int status)
{
    uint64_t *const hash = context;

    *hash = add(add(add(*hash, (uint64_t)((const unsigned char *)block - region)), bytes), status);
}

static _Noreturn void differs(uint32_t heap, uint64_t step, const char *what, uint64_t expected, uint64_t found)
{
    printf("heap %" PRIu32 " step %" PRIu64 ": %s is %" PRId64 ", not %" PRId64 "\n", heap, step, what,
           (int64_t)found, (int64_t)expected);
    exit(1);
}

static void expect(uint32_t heap, uint64_t step, const char *what, uint64_t expected, uint64_t found)
{
    if (expected != found) {
        differs(heap, step, what, expected, found);
    }
}

static void fill(uint32_t slot, uint64_t size)
{
    for (uint64_t byte = 0U; byte < size; byte++) {
        slots[slot][byte] = (unsigned char)(slot + byte);
    }
}

static uint64_t image(uint64_t bytes)
{
    uint64_t hash = UINT64_C(0xCBF29CE484222325);

    for (uint64_t byte = 0U; byte < bytes; byte++) {
        hash = (hash ^ region[byte]) * UINT64_C(0x100000001B3);
    }
    return hash;
}

static void served(uint32_t number, uint64_t at, const struct step *step, unsigned char *block)
{
    const struct heap *heap = &heaps[number];

    expect(number, at, "the offset", step->answer, (block == NULL) ? NONE : (uint64_t)(block - region));
    if (block != NULL) {
        slots[step->slot] = block;
        expect(number, at, "the usable size", step->usable, heap->usable(block));
        fill(step->slot, step->size);
    }
}

static void play(uint32_t number, uint64_t at, const struct step *step)
{
    const struct heap *heap = &heaps[number];

    switch (step->kind) {
    case 0U:
        served(number, at, step, heap->allocate((size_t)step->size, (size_t)step->alignment));
        break;
    case 1U:
        expect(number, at, "whether the free was refused", step->answer, !heap->free(slots[step->slot]));
        break;
    case 2U:
        served(number, at, step, heap->reallocate(slots[step->slot], (size_t)step->size, (size_t)step->alignment));
        break;
    case 6U:
        served(number, at, step, heap->urgent((size_t)step->size, (size_t)step->alignment));
        break;
    case 4U:
        if (heap->counts != NULL) {
            uint64_t counts[5];

            heap->counts(counts);
            expect(number, at, "the number of live blocks", step->slot, counts[0]);
            expect(number, at, "the number of free bytes", step->size, counts[1]);
            expect(number, at, "the fewest free bytes", step->alignment, counts[2]);
            expect(number, at, "the number of refused requests", step->answer, counts[3]);
            expect(number, at, "the largest request", step->usable, counts[4]);
        }
        break;
    case 5U:
        if (heap->walk != NULL) {
            expect(number, at, "the hash of all blocks", step->answer, heap->walk());
        }
        break;
    default:
        expect(number, at, "the broken invariant", 0U, heap->check());
        expect(number, at, "the footprint", step->alignment, heap->footprint());
        expect(number, at, "the footprint's peak", step->size, heap->peak());
        expect(number, at, "the hash of the region", step->answer, image(step->size));
        break;
    }
}

int main(void)
{
    unsigned int tapes = 0U;
    struct {
        uint32_t heap, made;
        uint64_t region, steps;
    } tape;

    while (fread(&tape, sizeof tape, 1U, stdin) == 1U) {
        memset(region, 0xA5, sizeof region);
        expect(tape.heap, 0U, "whether it could be made", tape.made, heaps[tape.heap].init(region, (size_t)tape.region));
        for (uint64_t at = 0U; at < tape.steps; at++) {
            struct step step;

            if (fread(&step, sizeof step, 1U, stdin) != 1U) {
                printf("heap %" PRIu32 ": the tape ends early\n", tape.heap);
                return 1;
            }
            play(tape.heap, at, &step);
        }
        tapes++;
    }
    printf("%u tapes played\n", tapes);
    return 0;
}
