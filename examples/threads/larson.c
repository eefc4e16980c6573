/* A server as Larson and Krishnan describe it (Memory Allocation for Long-Running Server Applications, ISMM 1998):
 *
 *   larson THREADS SLOTS OPERATIONS GENERATIONS
 *
 * Each thread owns an array of blocks. It frees a random one and puts a new one of a random size, 16 to 512 bytes, in its
 * place, OPERATIONS times; then it hands its array to a new thread and ends. So blocks outlive the threads that asked
 * for them, and are freed by others. Prints the blocks that were asked for and the bytes that were freed: the same in every run.
 */
#include <pthread.h>

#include "block.h"

enum { MAX_THREADS = 64, SMALLEST = 16, LARGEST = 512 };

typedef struct {
    block **slots;
    unsigned count, operations, generation, generations;
    uint64_t seed, asked, freed;
    /* One of each generation, for main to join. */
    pthread_t *threads;
} server;

static void *serve(void *argument)
{
    server *const own = argument;

    for (unsigned i = 0; i < own->operations; i++) {
        block **const slot = &own->slots[draw(&own->seed, own->count)];

        if (*slot != NULL) {
            own->freed += block_free(*slot);
        }
        *slot = block_new(SMALLEST + draw(&own->seed, LARGEST - SMALLEST + 1));
        own->asked++;
    }
    if (++own->generation < own->generations) {
        pthread_create(&own->threads[own->generation], NULL, serve, own);
    }
    return NULL;
}

int main(int count, char **words)
{
    if (count != 5) {
        fputs("larson THREADS SLOTS OPERATIONS GENERATIONS\n", stderr);
        return 2;
    }
    const unsigned threads = (unsigned)atoi(words[1]);
    const unsigned generations = (unsigned)atoi(words[4]);
    static server servers[MAX_THREADS];
    uint64_t asked = 0, freed = 0;

    for (unsigned i = 0; i < threads && i < MAX_THREADS; i++) {
        const unsigned slots = (unsigned)atoi(words[2]);

        servers[i] = (server){ .slots = calloc(slots, sizeof(block *)), .count = slots, .generations = generations };
        servers[i].operations = (unsigned)atoi(words[3]);
        servers[i].seed = i + 1;
        servers[i].threads = calloc(generations, sizeof(pthread_t));
        pthread_create(&servers[i].threads[0], NULL, serve, &servers[i]);
    }
    for (unsigned i = 0; i < threads && i < MAX_THREADS; i++) {
        for (unsigned generation = 0; generation < generations; generation++) {
            pthread_join(servers[i].threads[generation], NULL);
        }
        for (unsigned slot = 0; slot < servers[i].count; slot++) {
            if (servers[i].slots[slot] != NULL) {
                freed += block_free(servers[i].slots[slot]);
            }
        }
        free(servers[i].slots);
        free(servers[i].threads);
        asked += servers[i].asked;
        freed += servers[i].freed;
    }
    printf("%llu blocks, %llu bytes\n", (unsigned long long)asked, (unsigned long long)freed);
    return 0;
}
