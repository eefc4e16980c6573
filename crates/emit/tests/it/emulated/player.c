/* Plays tapes that are part of the program on emitted heaps, and compares every answer and the bytes of the region.
 * For machines with a few kilobytes of memory and no C library. */
#include "heaps.h"

#ifdef __AVR__
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/pgmspace.h>
#include <avr/sleep.h>

/* The stack is above the region, variables are below. */
#define REGION ((unsigned char *)0x1000)
#define CONSTANT PROGMEM

static void say_byte(char byte)
{
    UDR0 = (unsigned char)byte;
}

static unsigned char byte_of(const unsigned char *constant)
{
    return pgm_read_byte(constant);
}

static void stop(void)
{
    cli();
    sleep_mode();
    for (;;) {
    }
}
#elif defined(__linux__)
#include <stdio.h>
#include <stdlib.h>

static unsigned char region[BYTES] __attribute__((aligned(8192)));
#define REGION region
#define CONSTANT

static void say_byte(char byte)
{
    (void)putchar(byte);
}

static unsigned char byte_of(const unsigned char *constant)
{
    return *constant;
}

static void stop(void)
{
    exit(0);
}
#else
#define REGION ((unsigned char *)0x20002000)
#define CONSTANT

/* A call of the machine that debugs this one. */
static void call_host(unsigned int operation, const void *argument)
{
    register unsigned int r0 __asm__("r0") = operation;
    register const void *r1 __asm__("r1") = argument;

    __asm__ volatile("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
}

static void say_byte(char byte)
{
    call_host(3U, &byte);
}

static unsigned char byte_of(const unsigned char *constant)
{
    return *constant;
}

static void stop(void)
{
    call_host(0x18U, (const void *)0x20026U);
    for (;;) {
    }
}
#endif

#define NONE 0xFFFFU

struct heap {
    bool (*init)(void *region, size_t bytes);
    void *(*allocate)(size_t size, size_t alignment);
    void *(*reallocate)(void *block, size_t size, size_t alignment);
    bool (*free)(void *block);
    size_t (*usable)(const void *block);
    unsigned int (*check)(void);
    size_t (*footprint)(void);
    size_t (*peak)(void);
};

#define PART(N, FREE)                                                                                                 \
    static N N##_it;                                                                                                  \
    static bool N##_1(void *region, size_t bytes) { return N##_init(&N##_it, region, bytes); }                        \
    static void *N##_2(size_t size, size_t alignment) { return N##_allocate_aligned(&N##_it, size, alignment); }      \
    static void *N##_3(void *block, size_t size, size_t alignment)                                                    \
    {                                                                                                                 \
        return N##_reallocate(&N##_it, block, size, alignment);                                                       \
    }                                                                                                                 \
    static bool N##_4(void *block) { return FREE; }                                                                   \
    static size_t N##_5(const void *block) { return N##_usable_size(&N##_it, block); }                                \
    static unsigned int N##_6(void) { return N##_check(&N##_it); }                                                    \
    static size_t N##_7(void) { return N##_statistics(&N##_it).footprint; }                                           \
    static size_t N##_8(void) { return N##_statistics(&N##_it).footprint_peak; }
#define ROW(N) { N##_1, N##_2, N##_3, N##_4, N##_5, N##_6, N##_7, N##_8 }

PARTS

static const struct heap heaps[] = { ROWS };

/* Bytes: kind (1), slot, size, alignment, answer, usable size (2 each). */
#define STEP 11U

TAPES

static unsigned char *slots[SLOTS];

static void say(const char *text)
{
    for (; *text != '\0'; text++) {
        say_byte(*text);
    }
}

static void say_number(unsigned long number)
{
    if (number >= 10UL) {
        say_number(number / 10UL);
    }
    say_byte((char)('0' + (char)(number % 10UL)));
}

static void expect(unsigned int heap, unsigned int step, const char *what, unsigned long expected, unsigned long found)
{
    if (expected != found) {
        say("heap ");
        say_number(heap);
        say(" step ");
        say_number(step);
        say(": ");
        say(what);
        say(" is ");
        say_number(found);
        say(", not ");
        say_number(expected);
        say("\n");
        stop();
    }
}

static unsigned int pair_of(const unsigned char *constant)
{
    return (unsigned int)byte_of(constant) | ((unsigned int)byte_of(constant + 1) << 8U);
}

/* The lower half of FNV-1a of 64 bits. */
static unsigned long image(size_t bytes)
{
    uint64_t hash = UINT64_C(0xCBF29CE484222325);

    for (size_t byte = 0U; byte < bytes; byte++) {
        hash = (hash ^ REGION[byte]) * UINT64_C(0x100000001B3);
    }
    return (unsigned long)(hash & UINT32_MAX);
}

static void play(unsigned int number, unsigned int at, const unsigned char *step)
{
    const struct heap *const heap = &heaps[number];
    const unsigned int slot = pair_of(step + 1);
    const unsigned int size = pair_of(step + 3);
    const unsigned int alignment = pair_of(step + 5);
    const unsigned int answer = pair_of(step + 7);
    const unsigned int usable = pair_of(step + 9);
    const unsigned int kind = byte_of(step);
    unsigned char *block;

    if (kind == 1U) {
        expect(number, at, "whether the free was refused", answer, heap->free(slots[slot]) ? 0U : 1U);
    } else if (kind == 3U) {
        expect(number, at, "the broken invariant", 0U, heap->check());
        expect(number, at, "the footprint", alignment, heap->footprint());
        expect(number, at, "the footprint's peak", size, heap->peak());
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        /* Elsewhere its words have their bytes in another order. */
        expect(number, at, "the hash of the region", answer | ((unsigned long)usable << 16U), image(size));
#else
        (void)image;
#endif
    } else {
        block = (kind == 0U) ? heap->allocate(size, alignment) : heap->reallocate(slots[slot], size, alignment);
        expect(number, at, "the offset", answer, (block == NULL) ? NONE : (unsigned int)(block - REGION));
        if (block != NULL) {
            slots[slot] = block;
            expect(number, at, "the usable size", usable, heap->usable(block));
            for (unsigned int byte = 0U; byte < size; byte++) {
                ((volatile unsigned char *)block)[byte] = (unsigned char)(slot + byte);
            }
        }
    }
}

int main(void)
{
    unsigned long steps = 0UL;

#ifdef __AVR__
    UCSR0B = (1U << TXEN0);
#endif
    for (unsigned int heap = 0U; heap < HEAPS; heap++) {
        for (size_t byte = 0U; byte < BYTES; byte++) {
            ((volatile unsigned char *)REGION)[byte] = 0xA5U;
        }
        expect(heap, 0U, "whether it could be made", 1U, heaps[heap].init(REGION, BYTES) ? 1U : 0U);
        for (unsigned int at = 0U; at < lengths[heap]; at++) {
            play(heap, at, tapes[heap] + ((size_t)at * STEP));
            steps++;
        }
    }
    say_number(steps);
    say(" steps played on ");
    say_number(HEAPS);
    say(" heaps\n");
    stop();
}
