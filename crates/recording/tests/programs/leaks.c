/* Keeps half of 200,000 blocks, a tenth of them after a reallocation that may move them. */
#include <stdlib.h>

enum { BLOCKS = 200000 };
static void *blocks[BLOCKS];

int main(void) {
    for (int i = 0; i < BLOCKS; i++)
        blocks[i] = malloc(20 + i % 100);
    for (int i = 0; i < BLOCKS; i += 10)
        blocks[i] = realloc(blocks[i], 500);
    for (int i = 1; i < BLOCKS; i += 2)
        free(blocks[i]);
    return 0;
}
