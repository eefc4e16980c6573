/* Prints the ticks of many requests to the recorder for boards, a line for each kind with its events; then what bursts of
 * requests lose that the ring has room for, and one that is longer. */
#include "board.h"
#include "heapsmith_trace.h"

#define MANY 200U
/* Requests of one event between two drains that the ring has room for. */
#define ROOM (256U - 10U + 1U)

size_t discard(const unsigned char *bytes, size_t count);
uint32_t now(void);

static uint32_t time;
static unsigned long sent;

size_t discard(const unsigned char *bytes, size_t count)
{
    (void)bytes;
    sent += count;
    return count;
}

uint32_t now(void)
{
    return time;
}

static const void *block(uint32_t number)
{
    return (const void *)(uintptr_t)(0x20000000U + (number * 16U));
}

static uint32_t since(uint32_t begin)
{
    return (ticks() - begin) & 0xFFFFFFU;
}

static void line(const char *name, uint32_t own, uint32_t events)
{
    print(name);
    print(" ");
    print_number(own);
    print(" ");
    print_number(events);
    print("\n");
}

/* The statement is what costs, `at` its number; the drain in between costs nothing. */
#define MEASURE(name, events, statement) do { \
    uint32_t own = 0U; \
    for (uint32_t at = 0U; at < MANY; at++) { \
        uint32_t begin = ticks(); \
        const uint32_t clock = since(begin); \
        begin = ticks(); \
        statement; \
        own += since(begin) - clock; \
        (void)heapsmith_trace_drain(); \
    } \
    line(name, own, (events) * MANY); \
} while (0)

static void burst(uint32_t count)
{
    for (uint32_t at = 0U; at < count; at++) {
        heapsmith_trace_allocate(block(at), 100U, 0U);
    }
    (void)heapsmith_trace_drain();
}

int main(void)
{
    start_clock();
    (void)heapsmith_trace_drain();
    MEASURE("allocate", 1U, heapsmith_trace_allocate(block(at), 100U, 0U));
    MEASURE("free", 1U, heapsmith_trace_free(block(at)));
    MEASURE("reallocate", 2U, heapsmith_trace_reallocate(block(at), block(at + 1U), 200U));
    MEASURE("aligned", 2U, heapsmith_trace_allocate(block(at), 100U, 64U));
    MEASURE("timed", 2U, (time++, heapsmith_trace_free(block(at))));
    for (uint32_t at = 0U; at < 100U; at++) {
        heapsmith_trace_free(block(at));
    }
    const uint32_t begin = ticks();
    (void)heapsmith_trace_drain();
    line("drain", since(begin), 100U);
    for (uint32_t at = 0U; at < 50U; at++) {
        burst(ROOM);
    }
    line("lost", (uint32_t)heapsmith_trace_lost(), 50U * ROOM);
    burst(ROOM + 9U);
    line("lost", (uint32_t)heapsmith_trace_lost(), ROOM + 9U);
    line("sent", (uint32_t)sent, 0U);
    return 0;
}
