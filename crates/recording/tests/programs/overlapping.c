/* Three threads, each of which ends when the next one has allocated. */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

enum { THREADS = 3 };

static sem_t allocated[THREADS];
static sem_t may_end[THREADS];
static void *volatile blocks[THREADS];

static void *work(void *number)
{
    const size_t at = (size_t)number;

    blocks[at] = malloc(7777);
    sem_post(&allocated[at]);
    sem_wait(&may_end[at]);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];

    for (size_t i = 0; i < THREADS; i++) {
        sem_init(&allocated[i], 0, 0);
        sem_init(&may_end[i], 0, 0);
        pthread_create(&threads[i], NULL, work, (void *)i);
        sem_wait(&allocated[i]);
        if (i > 0) {
            sem_post(&may_end[i - 1]);
            pthread_join(threads[i - 1], NULL);
        }
    }
    sem_post(&may_end[THREADS - 1]);
    pthread_join(threads[THREADS - 1], NULL);
    return 0;
}
