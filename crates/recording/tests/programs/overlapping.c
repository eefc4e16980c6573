/* Three threads, each of which ends when the next one has allocated. */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

enum { THREADS = 3 };

static sem_t begun[THREADS + 1];
static void *volatile blocks[THREADS];

static void *work(void *number)
{
    const size_t at = (size_t)number;

    blocks[at] = malloc(7777);
    sem_post(&begun[at]);
    sem_wait(&begun[at + 1]);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];

    for (size_t i = 0; i <= THREADS; i++) {
        sem_init(&begun[i], 0, 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        pthread_create(&threads[i], NULL, work, (void *)i);
        if (i > 0) {
            pthread_join(threads[i - 1], NULL);
        }
    }
    sem_post(&begun[THREADS]);
    pthread_join(threads[THREADS - 1], NULL);
    return 0;
}
