/* Is called in place of an allocator, calls it, and says at the end what went through. */
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
#include <unistd.h>

#define JOINED(a, b) a##b
#define WRAPPED(name) JOINED(__wrap_, name)
#define REAL(name) JOINED(__real_, name)

void *REAL(ALLOCATE)(size_t size);
void REAL(FREE)(void *block);
size_t ours_grown(void) __attribute__((weak));

static size_t requested, smallest = SIZE_MAX, largest, first_free, grown_max, frees;
static uintptr_t begin, lowest = UINTPTR_MAX, highest;

static size_t grown(void)
{
    if (ours_grown) {
        return ours_grown();
    }
    const size_t broken = (uintptr_t)sbrk(0) - begin;

    /* A heap in a region of its own does not move the break. */
    return ((broken == 0U) && (highest > lowest)) ? (highest - lowest) : broken;
}

static void look(void)
{
    const size_t now = grown();

    grown_max = (now > grown_max) ? now : grown_max;
}

static void say(void)
{
    look();
    fprintf(stderr, "%zu,%zu,%zu,%zu,%zu,%zu\n", requested, smallest, largest, frees, first_free, grown_max);
}

void *WRAPPED(ALLOCATE)(size_t size)
{
    if (requested == 0U) {
        begin = (uintptr_t)sbrk(0);
        atexit(say);
    }
    void *const block = REAL(ALLOCATE)(size);

    requested += size;
    smallest = (size < smallest) ? size : smallest;
    largest = (size > largest) ? size : largest;
    lowest = ((uintptr_t)block < lowest) ? (uintptr_t)block : lowest;
    highest = (((uintptr_t)block + size) > highest) ? ((uintptr_t)block + size) : highest;
    return block;
}

void WRAPPED(FREE)(void *block)
{
    if (first_free == 0U) {
        first_free = grown();
        grown_max = first_free;
    }
    frees++;
    REAL(FREE)(block);
    look();
}
