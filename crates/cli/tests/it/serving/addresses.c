/* Asks for blocks of many sizes and alignments, and prints where each lies, counted from the first. */
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 300, STEPS = 5000 };

int main(void)
{
    static char *blocks[SLOTS];
    static char line[1 << 16];
    uint32_t random = 12345;
    char *first;

    setvbuf(stdout, line, _IOFBF, sizeof line);
    first = malloc(1);
    for (int step = 0; step < STEPS; step++) {
        random = random * 1664525U + 1013904223U;
        char **const slot = &blocks[(random >> 8) % SLOTS];
        const uint32_t what = (random >> 28) % 8U;
        const size_t size = ((random >> 12) % 16U == 0U) ? (random >> 16) : (random >> 16) % 700U;

        if (*slot != NULL && what < 3U) {
            free(*slot);
            *slot = NULL;
        } else if (*slot != NULL && what == 3U) {
            *slot = realloc(*slot, size + 1U);
        } else if (*slot == NULL && what == 4U) {
            *slot = memalign((size_t)16 << (random % 6U), size);
        } else if (*slot == NULL && what == 5U) {
            *slot = calloc(3, size / 3U);
        } else if (*slot == NULL) {
            *slot = malloc(size);
        }
        if (*slot != NULL) {
            memset(*slot, step, malloc_usable_size(*slot));
            printf("%ld %zu\n", (long)(*slot - first), malloc_usable_size(*slot));
        } else {
            printf("none\n");
        }
    }
    return 0;
}
