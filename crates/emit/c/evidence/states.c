/* {{ name }}: every state that the heap reaches in a small region, by any number of operations.
 *
 *     states [BYTES [STATES]]
 *
 * Allocates, reallocates and frees in every order, with requests at both ends of every step of sizes, breadth first, from
 * the empty heap on. A state is the region, byte by byte, with the blocks that are live. After every operation every
 * invariant is verified ({{ n }}_check), blocks lie inside the region, are aligned, as large as asked for and apart, and hold
 * what was written into them. A refused request leaves the blocks as they were.
 *
 * Without BYTES regions grow from the smallest that the heap takes, until one has more than STATES states (default
 * 200,000; memory is 1 GiB at most, too). The longest region that ended is what holds for every program. Ends with 0 if
 * one did, with 1 after a violation, whose shortest program is printed, and with 3 if only programs up to a length were
 * tried.
 */
#include "{{ n }}.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WORD {{ word }}U
#define ALIGNED {{ promised }}U
#define MAX_MEMORY ((size_t)1 << 30)
#define LONGEST 65536U

/* All operations on one state that take this long do not end. */
#ifndef HANG_SECONDS
#define HANG_SECONDS 60
#endif

/* What led from a state to the next. */
enum what { BEGIN, ALLOCATE, ALLOCATE_ALIGNED, {% if reserves %}ALLOCATE_URGENT, {% endif %}REALLOCATE, FREE, NOTHING };

struct step {
    uint32_t from;
    uint16_t size;
    uint16_t block; /* where the block lies that is freed or resized */
    uint16_t what;
};

static union {
    uint64_t aligned[LONGEST / 8U];
    unsigned char bytes[LONGEST];
} memory __attribute__((aligned(4096)));
#define region memory.bytes

static {{ n }} heap;
static size_t length;            /* bytes of the region */
static uint16_t live[LONGEST / WORD];
static size_t blocks;            /* live ones, in order of {{ "their allocation" if in_order else "addresses" }} */

static unsigned char *states;    /* region, heap, blocks and their places, of each */
static struct step *steps;
static uint32_t *table;          /* numbers of states from 1 on, by hash */
static size_t width, slots, count, max, depth, largest;
static unsigned long long transitions;
static size_t current;           /* the state that is left */
static struct step now;

static void print(const struct step *step)
{
    static const char *const names[] = { "", "allocate", "allocate aligned", {% if reserves %}"allocate urgent", {% endif %}"reallocate", "free", "" };

    if (step->what == REALLOCATE) {
        printf("    reallocate the block at %u to %u bytes\n", (unsigned)step->block, (unsigned)step->size);
    } else if (step->what == FREE) {
        printf("    free the block at %u\n", (unsigned)step->block);
    } else if (step->what != NOTHING) {
        printf("    %s %u bytes\n", names[step->what], (unsigned)step->size);
    }
}

static void print_way(size_t state)
{
    if (steps[state].what != BEGIN) {
        print_way(steps[state].from);
        print(&steps[state]);
    }
}

static void violated(const char *what, unsigned int number)
{
    printf("VIOLATION in a region of %zu bytes: %s", length, what);
    if (number != 0U) {
        printf(" %u", number);
    }
    printf("\nThe shortest program that shows it, from an empty heap:\n");
    print_way(current);
    print(&now);
    exit(1);
}

/* What a program writes into the block of this number. */
static unsigned char mark(size_t number)
{
    return (unsigned char)(number + 1U);
}

static void fill(size_t at, unsigned char with)
{
    memset(region + at, with, {{ n }}_usable_size(&heap, region + at));
}

/* Verifies blocks other than number `except`, which hold what was written before. */
static void verify_contents(size_t except)
{
    for (size_t number = 0; number < blocks; number++) {
        const size_t bytes = (number == except) ? 0U : {{ n }}_usable_size(&heap, region + live[number]);

        for (size_t at = 0; at < bytes; at++) {
            if (region[live[number] + at] != mark(number)) {
                violated("a block does not hold what was written into it", 0);
            }
        }
    }
}

/* Verifies a block that was handed out. */
static size_t verify_block(const void *block, size_t size, size_t alignment)
{
    const size_t at = (size_t)((const unsigned char *)block - region);
    size_t bytes;

    if ((at >= length) || (at % alignment != 0U)) {
        violated("a block lies outside of the region, or is not aligned", 0);
    }
    bytes = {{ n }}_usable_size(&heap, block);
    if ((bytes < size) || (bytes > length - at)) {
        violated("a block is smaller than asked for, or ends behind the region", 0);
    }
    return at;
}

static void verify_heap(void)
{
    const unsigned int broken = {{ n }}_check(&heap);

    if (broken != 0U) {
        violated("broken is invariant", broken);
    }
{%- if "counters" in extras %}
    if ({{ n }}_statistics(&heap).live_blocks != blocks) {
        violated("the live blocks are not those that are counted", 0);
    }
{%- endif %}
    for (size_t one = 0; one < blocks; one++) {
        const size_t end = live[one] + {{ n }}_usable_size(&heap, region + live[one]);

        for (size_t other = 0; other < blocks; other++) {
            if ((live[other] > live[one]) && (live[other] < end)) {
                violated("two blocks overlap", 0);
            }
        }
    }
}

static size_t hash(const unsigned char *state)
{
    uint64_t sum = 0;

    for (size_t at = 0; at < width; at += 8U) {
        uint64_t part;

        memcpy(&part, state + at, 8U);
        sum = (sum ^ part) * 0x9E3779B97F4A7C15U;
        sum ^= sum >> 29;
    }
    return (size_t)(sum ^ (sum >> 32));
}

static void save(unsigned char *state)
{
{%- if "counters" in extras %}
    /* What counters remember of the way here would make every state a new one. */
    heap.min_free_bytes = 0U;
    heap.refused = 0U;
    heap.largest_request = 0U;
{%- endif %}
    memset(state, 0, width);
    memcpy(state, region, length);
    memcpy(state + length, &heap, sizeof heap);
    memcpy(state + length + sizeof heap, &blocks, sizeof blocks);
    memcpy(state + length + sizeof heap + sizeof blocks, live, blocks * sizeof live[0]);
}

static void restore(size_t number)
{
    const unsigned char *state = states + number * width;

    memcpy(region, state, length);
    memcpy(&heap, state + length, sizeof heap);
    memcpy(&blocks, state + length + sizeof heap, sizeof blocks);
    memcpy(live, state + length + sizeof heap + sizeof blocks, blocks * sizeof live[0]);
    for (size_t block = 0; block < blocks; block++) {
        fill(live[block], mark(block));
    }
}

/* Keeps the state that an operation led to, if it is a new one. False if there are too many. */
static bool keep(void)
{
    unsigned char *state = states + count * width;
    size_t slot;

    verify_heap();
    for (size_t block = 0; block < blocks; block++) {
        fill(live[block], 0);
    }
{%- if not in_order %}
    for (size_t one = 1; one < blocks; one++) {
        for (size_t other = one; (other > 0U) && (live[other - 1U] > live[other]); other--) {
            const uint16_t lower = live[other];

            live[other] = live[other - 1U];
            live[other - 1U] = lower;
        }
    }
{%- endif %}
    save(state);
    for (slot = hash(state) & (slots - 1U); table[slot] != 0U; slot = (slot + 1U) & (slots - 1U)) {
        if (memcmp(states + (table[slot] - 1U) * width, state, width) == 0) {
            return true;
        }
    }
    if (count + 1U >= max) {
        return false;
    }
    steps[count] = now;
    count++;
    table[slot] = (uint32_t)count;
    return true;
}

static bool allocated(void *block, size_t size, size_t alignment)
{
    transitions++;
    verify_contents(blocks);
    if (block != NULL) {
        const size_t at = verify_block(block, size, alignment);
{%- if zeroes %}
        const size_t bytes = {{ n }}_usable_size(&heap, block);

        for (size_t byte = 0; byte < bytes; byte++) {
            if (region[at + byte] != 0U) {
                violated("a block is not zero", 0);
            }
        }
{%- endif %}
        live[blocks] = (uint16_t)at;
        blocks++;
    }
    return keep();
}

/* Tries a request of `size` bytes in the current state, and every block resized to it. */
static bool try_size(size_t size)
{
    bool fits;

    now.size = (uint16_t)size;
    now.what = ALLOCATE;
    restore(current);
    fits = allocated({{ n }}_allocate(&heap, size), size, ALIGNED);
    now.what = ALLOCATE_ALIGNED;
    restore(current);
    fits = fits && allocated({{ n }}_allocate_aligned(&heap, size, 2U * ALIGNED), size, 2U * ALIGNED);
{%- if reserves %}
    now.what = ALLOCATE_URGENT;
    restore(current);
    fits = fits && allocated({{ n }}_allocate_urgent(&heap, size, 0), size, ALIGNED);
{%- endif %}
    restore(current);
    now.what = REALLOCATE;
    for (size_t number = {{ "(blocks == 0U) ? 0U : (blocks - 1U)" if in_order else "0" }}; fits && (number < blocks); number++) {
        size_t before, kept;
        unsigned char *block;

        restore(current);
        now.block = live[number];
        before = {{ n }}_usable_size(&heap, region + live[number]);
        block = {{ n }}_reallocate(&heap, region + live[number], size, 0);
        transitions++;
        verify_contents((block == NULL) ? blocks : number);
        if (block != NULL) {
            live[number] = (uint16_t)verify_block(block, size, ALIGNED);
            kept = (before < size) ? before : size;
            for (size_t at = 0; at < kept; at++) {
                if (block[at] != mark(number)) {
                    violated("reallocating did not keep the contents", 0);
                }
            }
        }
        fits = keep();
        restore(current);
    }
    return fits;
}

static bool try_frees(void)
{
    bool fits = true;

    restore(current);
    for (size_t number = {{ "(blocks == 0U) ? 0U : (blocks - 1U)" if in_order else "0" }}; fits && (number < blocks); number++) {
        now.what = FREE;
        now.block = live[number];
        (void){{ n }}_free(&heap, region + live[number]);
        transitions++;
        for (size_t other = number; other + 1U < blocks; other++) {
            live[other] = live[other + 1U];
        }
        blocks--;
        for (size_t other = 0; other < blocks; other++) {
            const size_t bytes = {{ n }}_usable_size(&heap, region + live[other]);

            for (size_t at = 0; at < bytes; at++) {
                if (region[live[other] + at] != mark((other < number) ? other : (other + 1U))) {
                    violated("a block does not hold what was written into it", 0);
                }
            }
        }
        fits = keep();
        restore(current);
    }
    return fits;
}

/* What asks for nothing changes nothing. */
static void try_nothing(void)
{
    restore(current);
    now.what = NOTHING;
    (void){{ n }}_free(&heap, NULL);
    if ({{ n }}_allocate(&heap, 0) != NULL) {
        violated("a request for 0 bytes was served", 0);
    }
    verify_contents(blocks);
    verify_heap();
}

/* Searches all states of the region. 0 if it ended, 3 if there are too many, 2 if the heap does not take the region. */
static int search(void)
{
    size_t next = 1;

    count = 0;
    depth = 0;
    blocks = 0;
    current = 0;
    memset(region, 0, length);
    memset(&now, 0, sizeof now);
    memset(&heap, 0, sizeof heap);
    memset(table, 0, slots * sizeof table[0]);
    if (!{{ n }}_init(&heap, region, length)) {
        return 2;
    }
    transitions = 0;
    if (!keep()) {
        return 3;
    }
    for (largest = length; (largest > 1U) && ({{ n }}_allocate(&heap, largest) == NULL); largest--) {
        restore(0);
    }
    for (; current < count; current++) {
        bool fits = true;

        if (current == next) {
            depth++;
            next = count;
        }
        now.from = (uint32_t)current;
        (void)alarm(HANG_SECONDS);
        try_nothing();
        /* What no empty heap serves is asked for once. */
        for (size_t size = 1; fits && (size <= largest + WORD); size += (size % WORD == 1U % WORD) ? (WORD - 1U) : 1U) {
            fits = try_size(size);
        }
        fits = fits && try_size(length);
        if (!fits || !try_frees()) {
            printf("%zu bytes: more than %zu states\n", length, max - 1U);
            return 3;
        }
    }
    printf("%zu bytes: all %zu states, %llu operations, no violation\n", length, count, transitions);
    return 0;
}

/* Makes room for states of the region. */
static bool reserve(size_t wanted)
{
    width = (length + sizeof heap + sizeof blocks + length / WORD * sizeof live[0] + 7U) / 8U * 8U;
    max = (wanted < MAX_MEMORY / width) ? wanted : (MAX_MEMORY / width);
    max += 1U;
    for (slots = 1U << 10; slots < 2U * max; slots *= 2U) {
    }
    free(states);
    free(steps);
    free(table);
    states = malloc((max + 1U) * width);
    steps = malloc((max + 1U) * sizeof steps[0]);
    table = malloc(slots * sizeof table[0]);
    return (states != NULL) && (steps != NULL) && (table != NULL);
}

int main(int arguments, char **argument)
{
    const size_t given = (arguments > 1) ? strtoul(argument[1], NULL, 10) : 0U;
    const size_t wanted = (arguments > 2) ? strtoul(argument[2], NULL, 10) : 200000U;
    const size_t by = (ALIGNED > WORD) ? ALIGNED : WORD;
    size_t whole = 0;

    for (length = (given != 0U) ? given : by; length < LONGEST; length += by) {
        int outcome;

        if (!reserve(wanted)) {
            printf("no memory for the states: name fewer\n");
            return 3;
        }
        outcome = search();
        if (outcome == 0) {
            whole = length;
        }
        if ((outcome == 3) && (whole != 0U)) {
            printf("every program in regions of up to %zu bytes; of up to %zu operations in %zu bytes\n", whole, depth, length);
        } else if (outcome == 3) {
            printf("only programs of up to %zu operations in %zu bytes: name more states\n", depth, length);
        }
        if ((outcome == 3) || (given != 0U)) {
            return (whole != 0U) ? 0 : 3;
        }
    }
    printf("the heap takes no region shorter than %u bytes\n", LONGEST);
    return (whole != 0U) ? 0 : 3;
}
