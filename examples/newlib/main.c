/* A station that collects readings of sensors, keeps the last of each, and reports them as text. All of its memory is from malloc:
 * the readings, whose notes have many lengths; the report, which grows; and what printf takes for numbers with a fraction.
 * Prints what it computed, and how much memory its heap took. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef HEAPSMITH_TRACE_NEWLIB
#include "heapsmith_trace.h"
#endif
#ifdef BOARD_HEAP
#include "board_heap_system.h"
#endif

#define SENSORS 12U
#define KEPT 6U
#define ROUNDS 400U

struct reading {
    struct reading *before;
    double value;
    char *note;
};

static struct {
    struct reading *last;
    unsigned int count;
    char *name;
} sensors[SENSORS];

static uint32_t random_below(uint32_t below)
{
    static uint32_t state = 1U;

    state = (state * 1664525U) + 1013904223U;
    return (state >> 8) % below;
}

/* Memory that must be there. */
static void *given(void *block)
{
    if (block == NULL) {
        puts("out of memory");
        exit(1);
    }
    return block;
}

/* Drops the oldest readings, but for as many as a sensor keeps. */
static void forget(unsigned int sensor)
{
    struct reading **link = &sensors[sensor].last;

    for (unsigned int at = 0U; (at < KEPT) && (*link != NULL); at++) {
        link = &(*link)->before;
    }
    while (*link != NULL) {
        struct reading *const old = *link;

        *link = old->before;
        free(old->note);
        free(old);
        sensors[sensor].count--;
    }
}

static void read_sensor(unsigned int sensor)
{
    struct reading *const reading = given(malloc(sizeof(*reading)));
    const size_t length = 8U + random_below((sensor + 1U) * 24U);

    reading->before = sensors[sensor].last;
    reading->value = (double)random_below(1000000U) / 1000.0;
    reading->note = given(malloc(length + 1U));
    memset(reading->note, 'a' + (int)(sensor % 26U), length);
    reading->note[length] = '\0';
    sensors[sensor].last = reading;
    sensors[sensor].count++;
    forget(sensor);
}

/* The text of all that is kept; it grows as lines come. */
static char *report(void)
{
    size_t length = 0U;
    char *text = given(calloc(1U, 1U));

    for (unsigned int sensor = 0U; sensor < SENSORS; sensor++) {
        for (const struct reading *at = sensors[sensor].last; at != NULL; at = at->before) {
            const int line = snprintf(NULL, 0U, "%s %.3f %s\n", sensors[sensor].name, at->value, at->note);

            text = given(realloc(text, length + (size_t)line + 1U));
            (void)snprintf(&text[length], (size_t)line + 1U, "%s %.3f %s\n", sensors[sensor].name, at->value, at->note);
            length += (size_t)line;
        }
    }
    return text;
}

int main(void)
{
    uint32_t sum = 0U;

    for (unsigned int sensor = 0U; sensor < SENSORS; sensor++) {
        char name[24];

        (void)snprintf(name, sizeof(name), "sensor-%u", sensor);
        sensors[sensor].name = given(strdup(name));
    }
    for (unsigned int round = 0U; round < ROUNDS; round++) {
        read_sensor(random_below(SENSORS));
        if ((round % 100U) == 99U) {
            char *const text = report();

            for (const char *at = text; *at != '\0'; at++) {
                sum = (sum * 31U) + (unsigned char)*at;
            }
            free(text);
        }
#ifdef HEAPSMITH_TRACE_NEWLIB
        (void)heapsmith_trace_drain();
#endif
    }
#ifdef HEAPSMITH_TRACE_NEWLIB
    printf("lost %lu\n", heapsmith_trace_lost());
    heapsmith_trace_finish();
#endif
    printf("checksum %08lx\n", (unsigned long)sum);
#ifdef BOARD_HEAP
    printf("footprint %lu of %lu bytes\n", (unsigned long)board_heap_system_statistics().footprint_peak,
           (unsigned long)board_heap_system_statistics().region);
    printf("broken %u\n", board_heap_system_check());
#else
    extern char end[];

    printf("the C library's heap took %lu bytes\n", (unsigned long)((char *)sbrk(0) - end));
#endif
    return 0;
}
