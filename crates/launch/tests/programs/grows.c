/* Takes a lot, gives it back, and says what the system counts as resident: at the most, after the frees, after a trim. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COUNT 40000

static long resident(void) {
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%*d %ld", &pages) != 1)
        exit(9);
    fclose(file);
    return pages * 4;
}

int main(void) {
    static char *blocks[COUNT];
    long at_most, freed, holed;
    for (int i = 0; i < COUNT; i++)
        memset(blocks[i] = malloc(i % 2 ? 1000 : 60000 / 16), 1, 1000);
    at_most = resident();
    for (int i = 0; i < COUNT; i++)
        if (i % 16) {
            free(blocks[i]);
            blocks[i] = NULL;
        }
    malloc_trim(0);
    holed = resident();
    for (int i = 0; i < COUNT; i++)
        free(blocks[i]);
    freed = resident();
    malloc_trim(0);
    printf("%ld %ld %ld %ld\n", at_most, holed, freed, resident());
    return 0;
}
