/* Fills memory, frees all but every 50th block, and says what the system counts as resident since it began, in KB: full, with holes, and
 * once all is freed. Blocks that are kept have to be as they were written, also next to those that are written again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 8000, SIZE = 8000, KEPT = 50 };

static unsigned char *volatile blocks[BLOCKS];

static long resident(void)
{
    long pages = 0;
    FILE *const file = fopen("/proc/self/statm", "r");

    if (file == NULL || fscanf(file, "%*d %ld", &pages) != 1) {
        exit(9);
    }
    fclose(file);
    return pages * 4;
}

static void fill(int number)
{
    blocks[number] = malloc(SIZE);
    memset(blocks[number], number % 251, SIZE);
}

static void drop(int number)
{
    for (int byte = 0; byte < SIZE; byte++) {
        if (blocks[number][byte] != number % 251) {
            abort();
        }
    }
    free(blocks[number]);
    blocks[number] = NULL;
}

/* Small blocks come and go: what counts frees gets to count. */
static void idle(void)
{
    for (int turn = 0; turn < 20000; turn++) {
        unsigned char *volatile const block = calloc(1, 3000);

        if (block[turn % 3000] != 0) {
            abort();
        }
        free(block);
    }
}

int main(void)
{
    const long begin = resident();
    long full, holes;

    for (int number = 0; number < BLOCKS; number++) {
        fill(number);
    }
    full = resident() - begin;
    for (int number = 0; number < BLOCKS; number++) {
        if (number % KEPT != 0) {
            drop(number);
        }
    }
    idle();
    holes = resident() - begin;
    for (int number = 0; number < BLOCKS; number++) {
        if (blocks[number] == NULL) {
            fill(number);
        }
    }
    for (int number = 0; number < BLOCKS; number++) {
        drop(number);
    }
    idle();
    printf("%ld %ld %ld\n", full, holes, resident() - begin);
    return 0;
}
