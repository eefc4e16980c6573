/* A program of requests, played through the names of a system and next to it on a heap of the same kind: both must give the
 * same offsets, and blocks must keep what is written to them. A system's play.c defines before it
 *
 *     BYTES                  of the region
 *     ALLOCATE(size), FREE(block)
 */
#ifndef PLAY_H
#define PLAY_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sys_heap_system.h"

#define SLOTS 100U
#define STEPS 20000U

#define REQUIRE(condition)                                               \
    do {                                                                 \
        if (!(condition)) {                                              \
            (void)printf("line %d: %s\n", __LINE__, #condition);         \
            exit(1);                                                     \
        }                                                                \
    } while (0)

static _Alignas(4096) uint64_t twin_region[(BYTES) / 8U];
static sys_heap twin;
/* How many locks are held, and the maximum. */
static int locks = 0;
static int max_locks = 0;

static void note_lock(void)
{
    locks++;
    max_locks = (locks > max_locks) ? locks : max_locks;
}

static void note_unlock(void)
{
    locks--;
    REQUIRE(locks >= 0);
}

static uint32_t next_random(void)
{
    static uint32_t state = 12345U;

    state = (state * 1664525U) + 1013904223U;
    return state >> 8;
}

/* The offset of a block in its region. */
static size_t offset(const void *block, const void *first, size_t first_offset)
{
    return (size_t)((const char *)block - (const char *)first) + first_offset;
}

/* Plays; returns how many requests were refused. Nothing is live afterwards. */
static unsigned int play(void)
{
    struct {
        unsigned char *block;
        void *twin;
        size_t size;
        unsigned char value;
    } live[SLOTS] = { { NULL, NULL, 0U, 0U } };
    const void *first = NULL;
    size_t first_offset = 0U;
    unsigned int refused = 0U;

    REQUIRE(sys_heap_init(&twin, twin_region, sizeof(twin_region)));
    for (unsigned int step = 0U; step < STEPS; step++) {
        const unsigned int slot = next_random() % SLOTS;

        if (live[slot].block == NULL) {
            const size_t size = 1U + (next_random() % ((step % 2U == 0U) ? 900U : 90U));

            live[slot].size = size;
            live[slot].value = (unsigned char)step;
            live[slot].block = ALLOCATE(size);
            live[slot].twin = sys_heap_allocate(&twin, size);
            REQUIRE((live[slot].block == NULL) == (live[slot].twin == NULL));
            if (live[slot].block == NULL) {
                refused++;
                continue;
            }
            if (first == NULL) {
                first = live[slot].block;
                first_offset = (size_t)((char *)live[slot].twin - (char *)twin_region);
            }
            REQUIRE(offset(live[slot].block, first, first_offset) ==
                    (size_t)((char *)live[slot].twin - (char *)twin_region));
            (void)memset(live[slot].block, live[slot].value, size);
        } else {
            for (size_t at = 0U; at < live[slot].size; at++) {
                REQUIRE(live[slot].block[at] == live[slot].value);
            }
            FREE(live[slot].block);
            sys_heap_free(&twin, live[slot].twin);
            live[slot].block = NULL;
            live[slot].twin = NULL;
        }
        if ((step % 997U) == 0U) {
            REQUIRE(sys_heap_system_check() == 0U);
            REQUIRE(sys_heap_system_statistics().free_bytes == sys_heap_statistics(&twin).free_bytes);
            REQUIRE(sys_heap_system_statistics().min_free_bytes == sys_heap_statistics(&twin).min_free_bytes);
        }
    }
    for (unsigned int slot = 0U; slot < SLOTS; slot++) {
        FREE(live[slot].block);
        sys_heap_free(&twin, live[slot].twin);
    }
    REQUIRE(locks == 0);
    REQUIRE(sys_heap_system_check() == 0U);
    return refused;
}

#endif
