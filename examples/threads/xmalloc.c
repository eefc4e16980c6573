/* Producers and consumers as Lever and Boreham describe them (malloc() Performance in a Multithreaded Linux Environment, USENIX 2000):
 * no thread frees a block that it asked for.
 *
 *   xmalloc PAIRS BATCHES
 *
 * Of a pair, one thread fills batches of blocks of random sizes, 16 to 512 bytes, and the other frees them, at most DEPTH batches
 * later. Prints the bytes that were freed: the same in every run.
 */
#include <pthread.h>

#include "block.h"

enum { MAX_PAIRS = 32, BATCH = 128, DEPTH = 64 };

typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    block *batches[DEPTH][BATCH];
    unsigned begin, count, left;
    uint64_t seed, freed;
} channel;

static void *produce(void *argument)
{
    channel *const own = argument;

    for (unsigned left = own->left; left > 0; left--) {
        pthread_mutex_lock(&own->lock);
        while (own->count == DEPTH) {
            pthread_cond_wait(&own->changed, &own->lock);
        }
        block **const batch = own->batches[(own->begin + own->count) % DEPTH];

        pthread_mutex_unlock(&own->lock);
        for (unsigned i = 0; i < BATCH; i++) {
            batch[i] = block_new(16U + draw(&own->seed, 497));
        }
        pthread_mutex_lock(&own->lock);
        own->count++;
        pthread_cond_signal(&own->changed);
        pthread_mutex_unlock(&own->lock);
    }
    return NULL;
}

static void *consume(void *argument)
{
    channel *const own = argument;

    for (unsigned left = own->left; left > 0; left--) {
        pthread_mutex_lock(&own->lock);
        while (own->count == 0) {
            pthread_cond_wait(&own->changed, &own->lock);
        }
        block **const batch = own->batches[own->begin];

        pthread_mutex_unlock(&own->lock);
        for (unsigned i = 0; i < BATCH; i++) {
            own->freed += block_free(batch[i]);
        }
        pthread_mutex_lock(&own->lock);
        own->begin = (own->begin + 1) % DEPTH;
        own->count--;
        pthread_cond_signal(&own->changed);
        pthread_mutex_unlock(&own->lock);
    }
    return NULL;
}

int main(int count, char **words)
{
    if (count != 3) {
        fputs("xmalloc PAIRS BATCHES\n", stderr);
        return 2;
    }
    static channel channels[MAX_PAIRS];
    pthread_t threads[MAX_PAIRS][2];
    const unsigned pairs = (unsigned)atoi(words[1]) < MAX_PAIRS ? (unsigned)atoi(words[1]) : MAX_PAIRS;
    uint64_t freed = 0;

    for (unsigned i = 0; i < pairs; i++) {
        pthread_mutex_init(&channels[i].lock, NULL);
        pthread_cond_init(&channels[i].changed, NULL);
        channels[i].left = (unsigned)atoi(words[2]);
        channels[i].seed = i + 1;
        pthread_create(&threads[i][0], NULL, produce, &channels[i]);
        pthread_create(&threads[i][1], NULL, consume, &channels[i]);
    }
    for (unsigned i = 0; i < pairs; i++) {
        pthread_join(threads[i][0], NULL);
        pthread_join(threads[i][1], NULL);
        freed += channels[i].freed;
    }
    printf("%llu bytes\n", (unsigned long long)freed);
    return 0;
}
