/* Fills memory, frees all but every 50th block, and says what the system counts as resident since it began, in KB: full, with holes, and
 * once all is freed; and what of it the system may have taken with the holes. Blocks that are kept have to be as they were written, also next to those that are written again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* KB that the system takes when it lacks memory. */
static long lazy(void)
{
    char line[200];
    long kilobytes = 0;
    FILE *const file = fopen("/proc/self/smaps_rollup", "r");

    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        (void)sscanf(line, "LazyFree: %ld", &kilobytes);
    }
    if (file != NULL) {
        fclose(file);
    }
    return kilobytes;
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

/* Time passes, and small blocks come and go: what waits for a time or counts frees gets to it. */
static void idle(void)
{
    usleep(40000);
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
    long full, holes, may_go;

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
    may_go = lazy();
    for (int number = 0; number < BLOCKS; number++) {
        if (blocks[number] == NULL) {
            fill(number);
        }
    }
    for (int number = 0; number < BLOCKS; number++) {
        drop(number);
    }
    idle();
    printf("%ld %ld %ld %ld\n", full, holes, resident() - begin, may_go);
    return 0;
}
