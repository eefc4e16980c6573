/* The instructions of one kind of operations. */
#include "board.h"

struct cost {
    uint32_t operations;
    uint32_t ticks;
    uint32_t max;
};

static void add(struct cost *cost, uint32_t ticks)
{
    cost->operations++;
    cost->ticks += ticks;
    cost->max = (ticks > cost->max) ? ticks : cost->max;
}

static void say(const struct cost *cost)
{
    print_number(cost->operations);
    print(" ");
    print_number(cost->ticks);
    print(" ");
    print_number(cost->max);
    print("\n");
}
