/* Blocks that cross threads in three ways, every block stamped and checked: crossing WAY THREADS OPERATIONS ROUNDS
 *
 * WAY       what crosses                                                           after
 * slots     a thread replaces blocks of an array at random; in the next round       Larson and Krishnan 1998, a server
 *           another new thread goes on with that array                              whose threads come and go
 * exchange  threads put blocks of very different sizes into places that all share,  the stress test of mimalloc
 *           and free what they find there
 * producers half of the threads allocate batches, the others free them              Boreham's test of malloc (xmalloc)
 *
 * A block bears its size and the number of its way at both ends. One that comes back otherwise is damaged; bytes that were
 * allocated and not freed at the end are lost. Prints what was allocated: the same in every run.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_THREADS = 16, SLOTS = 1000, PLACES = 1000, KEPT = 200, BATCH = 100, QUEUE = 32 };

static atomic_ullong bytes_allocated, bytes_freed, damaged;

struct worker {
    uint64_t seed;
    uint64_t operations;
    /* Counted here, and added to the others' when the thread ends: a shared counter would be what is measured. */
    uint64_t allocated, freed, damaged;
    void **slots;
};

static uint64_t draw(uint64_t *state)
{
    /* Knuth's generator MMIX; its upper bits are the better ones. */
    *state = *state * 6364136223846793005U + 1442695040888963407U;
    return *state >> 33;
}

static uint32_t tail_of(uint64_t size)
{
    return (uint32_t)size * 2654435761U;
}

/* A stamped block of at least 12 bytes. */
static void *made(struct worker *worker, uint64_t size)
{
    char *const block = malloc(size);
    const uint32_t tail = tail_of(size);

    if (block == NULL) {
        fprintf(stderr, "no memory for %llu bytes\n", (unsigned long long)size);
        exit(1);
    }
    memcpy(block, &size, sizeof size);
    memcpy(block + size - sizeof tail, &tail, sizeof tail);
    worker->allocated += size;
    return block;
}

static void freed(struct worker *worker, void *block)
{
    uint64_t size;
    uint32_t tail;

    if (block == NULL) {
        return;
    }
    memcpy(&size, block, sizeof size);
    if (size < 12U || size > (1U << 20)) {
        worker->damaged++;
        return;
    }
    memcpy(&tail, (char *)block + size - sizeof tail, sizeof tail);
    worker->damaged += tail != tail_of(size);
    worker->freed += size;
    free(block);
}

static void add_up(const struct worker *worker)
{
    atomic_fetch_add(&bytes_allocated, worker->allocated);
    atomic_fetch_add(&bytes_freed, worker->freed);
    atomic_fetch_add(&damaged, worker->damaged);
}

static void start(pthread_t *thread, void *(*what)(void *), struct worker *worker)
{
    if (pthread_create(thread, NULL, what, worker) != 0) {
        fprintf(stderr, "no thread\n");
        exit(1);
    }
}

/* slots */

static void *replace(void *argument)
{
    struct worker *const worker = argument;

    for (uint64_t i = 0; i < worker->operations; i++) {
        const uint64_t slot = draw(&worker->seed) % SLOTS;

        freed(worker, worker->slots[slot]);
        worker->slots[slot] = made(worker, 12U + draw(&worker->seed) % 500U);
    }
    add_up(worker);
    return NULL;
}

/* exchange */

static _Atomic(void *) places[PLACES];

/* Mostly small, one in a hundred to 8 KiB, one in five thousand to 128 KiB. */
static uint64_t mixed(uint64_t *seed)
{
    const uint64_t kind = draw(seed) % 5000U;
    const uint64_t most = kind == 0 ? 131072U : kind < 50U ? 8192U : kind < 1000U ? 1024U : 128U;

    return 12U + draw(seed) % most;
}

static void *exchange(void *argument)
{
    struct worker *const worker = argument;
    void *kept[KEPT] = {NULL};

    for (uint64_t i = 0; i < worker->operations; i++) {
        const uint64_t slot = draw(&worker->seed) % KEPT;

        if (draw(&worker->seed) % 2U == 0) {
            freed(worker, kept[slot]);
            kept[slot] = made(worker, mixed(&worker->seed));
        } else {
            kept[slot] = atomic_exchange(&places[draw(&worker->seed) % PLACES], kept[slot]);
        }
    }
    for (int i = 0; i < KEPT; i++) {
        freed(worker, kept[i]);
    }
    add_up(worker);
    return NULL;
}

/* producers */

static struct {
    pthread_mutex_t lock;
    pthread_cond_t may_put, may_take;
    void **batches[QUEUE];
    int first, number, producing;
} queue = {.lock = PTHREAD_MUTEX_INITIALIZER, .may_put = PTHREAD_COND_INITIALIZER, .may_take = PTHREAD_COND_INITIALIZER};

static void *produce(void *argument)
{
    struct worker *const worker = argument;

    for (uint64_t i = 0; i < worker->operations; i += BATCH) {
        void **const batch = malloc(BATCH * sizeof *batch);

        if (batch == NULL) {
            exit(1);
        }
        for (int at = 0; at < BATCH; at++) {
            batch[at] = made(worker, 12U + draw(&worker->seed) % 200U);
        }
        pthread_mutex_lock(&queue.lock);
        while (queue.number == QUEUE) {
            pthread_cond_wait(&queue.may_put, &queue.lock);
        }
        queue.batches[(queue.first + queue.number) % QUEUE] = batch;
        queue.number++;
        pthread_cond_signal(&queue.may_take);
        pthread_mutex_unlock(&queue.lock);
    }
    pthread_mutex_lock(&queue.lock);
    queue.producing--;
    pthread_cond_broadcast(&queue.may_take);
    pthread_mutex_unlock(&queue.lock);
    add_up(worker);
    return NULL;
}

static void *consume(void *argument)
{
    struct worker *const worker = argument;

    for (;;) {
        void **batch = NULL;

        pthread_mutex_lock(&queue.lock);
        while (queue.number == 0 && queue.producing > 0) {
            pthread_cond_wait(&queue.may_take, &queue.lock);
        }
        if (queue.number > 0) {
            batch = queue.batches[queue.first];
            queue.first = (queue.first + 1) % QUEUE;
            queue.number--;
            pthread_cond_signal(&queue.may_put);
        }
        pthread_mutex_unlock(&queue.lock);
        if (batch == NULL) {
            break;
        }
        for (int at = 0; at < BATCH; at++) {
            freed(worker, batch[at]);
        }
        free(batch);
    }
    add_up(worker);
    return NULL;
}

int main(int count, char **arguments)
{
    const char *const way = count > 1 ? arguments[1] : "slots";
    const int threads = count > 2 ? atoi(arguments[2]) : 2;
    const uint64_t operations = count > 3 ? strtoull(arguments[3], NULL, 10) : 100000U;
    const int rounds = count > 4 ? atoi(arguments[4]) : 10;
    const int is_slots = strcmp(way, "slots") == 0, is_exchange = strcmp(way, "exchange") == 0;
    static void *slots[MAX_THREADS][SLOTS];
    pthread_t running[MAX_THREADS];

    if (threads < 2 || threads > MAX_THREADS || (!is_slots && !is_exchange && strcmp(way, "producers") != 0)) {
        fprintf(stderr, "crossing slots|exchange|producers THREADS OPERATIONS ROUNDS, 2 to %d threads\n", MAX_THREADS);
        return 2;
    }
    for (int round = 0; round < rounds; round++) {
        struct worker workers[MAX_THREADS];

        queue.producing = threads / 2;
        for (int i = 0; i < threads; i++) {
            workers[i] = (struct worker){
                .seed = (uint64_t)round * MAX_THREADS + (uint64_t)i,
                .operations = operations,
                .slots = slots[(i + round) % threads],
            };
        }
        for (int i = 0; i < threads; i++) {
            start(&running[i], is_slots ? replace : is_exchange ? exchange : i < threads / 2 ? produce : consume, &workers[i]);
        }
        for (int i = 0; i < threads; i++) {
            pthread_join(running[i], NULL);
        }
    }
    struct worker last = {0};

    for (int i = 0; i < MAX_THREADS; i++) {
        for (int slot = 0; slot < SLOTS; slot++) {
            freed(&last, slots[i][slot]);
        }
    }
    for (int i = 0; i < PLACES; i++) {
        freed(&last, atomic_exchange(&places[i], NULL));
    }
    add_up(&last);
    printf("%s: checksum %llx, %llu damaged, %llu bytes lost\n", way, (unsigned long long)bytes_allocated,
           (unsigned long long)damaged, (unsigned long long)(bytes_allocated - bytes_freed));
    return damaged == 0 && bytes_allocated == bytes_freed ? 0 : 1;
}
