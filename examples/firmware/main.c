/* Runs a trace on the emitted heap, then on the C library's malloc, and compares instructions.
 *
 *   trace.rep --> semihosting --> operations --> packet_heap --> hash of every offset, instructions
 *                                            \-> malloc -------> instructions
 *
 * The trace is in the form of the CS:APP malloc lab, which `heapsmith import --out trace.rep` writes. The
 * hash is the same on a host: addresses do not depend on the machine.
 */
#include <stdlib.h>

#include "board.h"
#include "packet_heap.h"

/* The emulator's clock runs at 25 MHz, and an instruction takes this many nanoseconds: 2 to the power that
 * its option -icount names. So ticks tell single instructions apart. */
#define NANOSECONDS_PER_TICK 40U
#define NANOSECONDS_PER_INSTRUCTION 128U

#define MAX_BLOCKS 8192U

struct costs {
    uint32_t operations;
    uint32_t refused;
    uint32_t worst;
    uint64_t total;
};

/* The parts of an allocator. */
struct allocator {
    void *(*allocate)(size_t size);
    void *(*reallocate)(void *block, size_t size);
    void (*release)(void *block);
};

static _Alignas(4096) unsigned char region[1024U * 1024U];
static char trace[256U * 1024U];
static void *blocks[MAX_BLOCKS];
static packet_heap heap;
static uint32_t empty_measurement;

static void *heap_allocate(size_t size)
{
    return packet_heap_allocate(&heap, size);
}

static void *heap_reallocate(void *block, size_t size)
{
    return packet_heap_reallocate(&heap, block, size, 1U);
}

static void heap_release(void *block)
{
    packet_heap_free(&heap, block);
}

/* Reads the next number of the trace. */
static uint32_t number(const char **at)
{
    uint32_t value = 0U;

    while ((**at == ' ') || (**at == '\n')) {
        (*at)++;
    }
    while ((**at >= '0') && (**at <= '9')) {
        value = (value * 10U) + (uint32_t)(**at - '0');
        (*at)++;
    }
    return value;
}

/* FNV-1a over the bytes of a word. */
static uint64_t hashed(uint64_t hash, uint32_t word)
{
    for (int byte = 0; byte < 4; byte++) {
        hash = (hash ^ ((word >> (8 * byte)) & 0xFFU)) * UINT64_C(0x100000001B3);
    }
    return hash;
}

/* Instructions between two readings of the clock, without what reading costs. */
static uint32_t instructions(uint32_t before, uint32_t after)
{
    const uint32_t nanoseconds = ((after - before) & 0xFFFFFFU) * NANOSECONDS_PER_TICK;
    const uint32_t all = (nanoseconds + (NANOSECONDS_PER_INSTRUCTION / 2U)) / NANOSECONDS_PER_INSTRUCTION;

    return (all > empty_measurement) ? (all - empty_measurement) : 0U;
}

/* Runs the trace; returns a hash of every offset from `base`. */
static uint64_t run(const struct allocator *allocator, const unsigned char *base, struct costs *costs)
{
    uint64_t hash = UINT64_C(0xCBF29CE484222325);
    const char *at = trace;

    for (int header = 0; header < 4; header++) {
        (void)number(&at);
    }
    for (;;) {
        while ((*at == ' ') || (*at == '\n')) {
            at++;
        }
        const char what = *at;

        if (what == '\0') {
            return hash;
        }
        at++;
        const uint32_t id = number(&at);
        const uint32_t size = (what == 'f') ? 0U : number(&at);
        void *block = blocks[id];
        const uint32_t before = ticks();

        if (what == 'a') {
            block = allocator->allocate(size);
        } else if (what == 'r') {
            block = allocator->reallocate(block, size);
        } else {
            allocator->release(block);
        }
        const uint32_t cost = instructions(before, ticks());

        costs->operations++;
        costs->total += cost;
        costs->worst = (cost > costs->worst) ? cost : costs->worst;
        if (what != 'f') {
            costs->refused += (block == NULL) ? 1U : 0U;
            blocks[id] = block;
            hash = hashed(hash, (uint32_t)((unsigned char *)block - base));
        }
    }
}

static void print_costs(const char *name, const struct costs *costs)
{
    const uint32_t hundredths = (uint32_t)((costs->total * 100U) / costs->operations);

    print(name);
    print(": ");
    print_number(costs->operations);
    print(" operations, ");
    print_number(costs->refused);
    print(" refused, instructions mean ");
    print_number(hundredths / 100U);
    print((hundredths % 100U) < 10U ? ".0" : ".");
    print_number(hundredths % 100U);
    print(" worst ");
    print_number(costs->worst);
    print("\n");
}

int main(void)
{
    static const struct allocator emitted = { heap_allocate, heap_reallocate, heap_release };
    static const struct allocator library = { malloc, realloc, free };
    struct costs costs = { 0U, 0U, 0U, 0U };
    struct costs library_costs = { 0U, 0U, 0U, 0U };

    if (read_file("trace.rep", trace, sizeof trace - 1U) == 0U) {
        print("no trace.rep: make one with heapsmith import\n");
        return 1;
    }
    start_clock();
    const uint32_t before = ticks();

    empty_measurement = instructions(before, ticks());
    if (!packet_heap_init(&heap, region, sizeof region)) {
        print("the region is too small\n");
        return 1;
    }
    const uint64_t hash = run(&emitted, region, &costs);
    const unsigned int broken = packet_heap_check(&heap);

    (void)run(&library, region, &library_costs);
    print("offsets ");
    print_hash(hash);
    print(" peak ");
    print_number((uint32_t)packet_heap_statistics(&heap).footprint_peak);
    print(" broken ");
    print_number(broken);
    print("\n");
    print_costs("packet_heap", &costs);
    print_costs("malloc", &library_costs);
    return (broken == 0U) ? 0 : 1;
}
