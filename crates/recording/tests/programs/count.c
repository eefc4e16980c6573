/* Counts for itself what it has live, and prints the most; calls nothing else that allocates. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { BLOCKS = 3000 };
static void *blocks[BLOCKS];
static size_t sizes[BLOCKS];

int main(void) {
    size_t live = 0, peak = 0, allocations = 0, calls = 0;
    unsigned seed = 99;
    char line[100];
    for (int step = 0; step < 400000; step++) {
        seed = seed * 1664525u + 1013904223u;
        unsigned at = (seed >> 8) % BLOCKS;
        seed = seed * 1664525u + 1013904223u;
        size_t size = (seed >> 8) % 1000 == 0 ? (seed >> 4) % 300000 : (seed >> 9) % 700 + 1;
        if (!blocks[at]) {
            blocks[at] = (seed >> 5) % 2 ? malloc(size) : calloc(1, size);
            live += sizes[at] = size;
            allocations++;
        } else if ((seed >> 6) % 4 == 0) {
            blocks[at] = realloc(blocks[at], size);
            live += size - sizes[at];
            sizes[at] = size;
        } else {
            free(blocks[at]);
            blocks[at] = NULL;
            live -= sizes[at];
        }
        calls++;
        if (live > peak)
            peak = live;
    }
    int length = snprintf(line, sizeof line, "%zu %zu %zu\n", peak, allocations, calls);
    return write(1, line, length) != length;
}
