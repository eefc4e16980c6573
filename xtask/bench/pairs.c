/* Nothing but malloc and free: the worst case of a recorder. A thousand blocks of up to
 * 500 bytes; one of them, drawn by a generator, is freed and allocated anew, again and
 * again. Arguments: threads that do that at once, and steps. Prints the nanoseconds that it took, by the clock and
 * of its processors. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void *work(void *steps) {
    void *blocks[1000] = {0};
    unsigned seed = 1;
    for (long step = 0; step < (long)steps; step++) {
        seed = seed * 1664525u + 1013904223u;
        unsigned at = (seed >> 12) % 1000;
        free(blocks[at]);
        blocks[at] = malloc((seed >> 20) % 500);
    }
    for (int at = 0; at < 1000; at++)
        free(blocks[at]);
    return NULL;
}

int main(int count, char **arguments) {
    int threads = count > 1 ? atoi(arguments[1]) : 1;
    long steps = count > 2 ? atol(arguments[2]) : 1000000;
    pthread_t others[64];
    struct timespec start, end, used;
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (int i = 1; i < threads; i++)
        pthread_create(&others[i], NULL, work, (void *)steps);
    work((void *)steps);
    for (int i = 1; i < threads; i++)
        pthread_join(others[i], NULL);
    clock_gettime(CLOCK_MONOTONIC, &end);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    printf("%ld %ld\n", (end.tv_sec - start.tv_sec) * 1000000000 + end.tv_nsec - start.tv_nsec,
           used.tv_sec * 1000000000 + used.tv_nsec);
    return 0;
}
