/* Functions that ask for known amounts; the test looks for their lines. */
#include <stdlib.h>

static inline __attribute__((always_inline)) void *token(size_t bytes) {
    return malloc(bytes); /* line 5 */
}

__attribute__((noinline)) void *parse(size_t bytes) {
    return token(bytes); /* line 9 */
}

__attribute__((noinline)) void *render(size_t bytes) {
    void *block = malloc(bytes); /* line 13 */
    return realloc(block, 2 * bytes); /* line 14 */
}

int main(void) {
    void *kept[10];
    for (int round = 0; round < 100; round++) free(parse(1000));
    for (int round = 0; round < 10; round++) kept[round] = render(50000);
    for (int round = 0; round < 10; round++) free(kept[round]);
    return 0;
}
