/* Allocates, frees and computes without a system call, until it is asked to end. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static volatile sig_atomic_t ends;

static void end(int signal)
{
    (void)signal;
    ends = 1;
}

int main(void)
{
    unsigned char *blocks[64] = { NULL };
    unsigned seed = 1, wrong = 0;
    /* Kept in a register of vectors. */
    double sum = 0.5;
    unsigned long rounds = 0;
    signal(SIGTERM, end);
    puts("begun");
    fflush(stdout);
    for (; !ends; rounds++) {
        seed = seed * 1664525U + 1013904223U;
        unsigned at = seed >> 26;
        if (blocks[at] != NULL) {
            wrong += blocks[at][0] != at;
            free(blocks[at]);
        }
        blocks[at] = malloc(1 + (seed >> 8) % 500);
        blocks[at][0] = (unsigned char)at;
        /* So that a second has some hundred thousand. */
        for (int step = 0; step < 3000; step++) {
            sum += 1.0;
        }
    }
    wrong += sum != 0.5 + 3000.0 * (double)rounds;
    printf("%u wrong\n", wrong);
    return 0;
}
