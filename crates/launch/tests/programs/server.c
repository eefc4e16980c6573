/* A server's loop: workers serve connections that come, talk and go. Blocks have random sizes and lifetimes; answers
 * and cache entries are freed by other threads than those that asked for them; the load rises and falls; workers end
 * and are replaced.
 *
 *   server WORKERS CONNECTIONS LIMIT       LIMIT is a number of requests in all, or with an s, of seconds
 *
 * Prints kilobytes, one number a word: resident at the peak, the mean of what was resident in the second half, the peak
 * of what the program asked for; and the requests that were served. */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "resident.h"

enum { ENTRIES = 48, CACHE = 4096, LETTERS = 32, LIVES = 4000 };

/* Every block begins with its size, so that what is live is known, whatever the allocator. */
typedef struct block {
    size_t size;
    struct block *next;
} block;

typedef struct {
    block *session, *input, *output, *entries[ENTRIES];
} connection;

typedef struct {
    _Atomic(block *) mail[LETTERS];
    connection *connections;
    uint64_t seed;
    long served;
} worker;

static int workers, connections;
static long limit, seconds;
static worker *all;
static block *cache[CACHE];
static pthread_mutex_t cache_locks[64];
static atomic_long live, live_peak, served, peak, sum, samples;
static sem_t gate, done;
static atomic_int running;
static double began;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec * 1e-9;
}

static unsigned draw(worker *me) {
    me->seed = me->seed * 6364136223846793005u + 1442695040888963407u;
    return me->seed >> 33;
}

/* Between low and high, each doubling as likely as the others. */
static size_t size_between(worker *me, int low, int high) {
    int bits = low + (int)(draw(me) % (unsigned)(high - low));
    return ((size_t)1 << bits) + draw(me) % ((size_t)1 << bits);
}

static block *make(size_t size) {
    block *it = malloc(size < sizeof(block) ? sizeof(block) : size);
    if (!it)
        abort();
    memset(it, 1, size < sizeof(block) ? sizeof(block) : size);
    it->size = size;
    it->next = NULL;
    long sum = atomic_fetch_add(&live, (long)size) + (long)size;
    if (sum > atomic_load(&live_peak))
        atomic_store(&live_peak, sum);
    return it;
}

static void drop(block *it) {
    if (it) {
        atomic_fetch_sub(&live, (long)it->size);
        free(it);
    }
}

static void drop_all(block *it) {
    while (it) {
        block *next = it->next;
        drop(it);
        it = next;
    }
}

static void opened(worker *me, connection *it) {
    it->session = make(216);
    it->input = make(4096);
    it->output = make(size_between(me, 10, 14));
    for (int i = 0; i < ENTRIES; i++)
        it->entries[i] = draw(me) % 2 ? make(size_between(me, 4, 10)) : NULL;
}

static void closed(connection *it) {
    drop(it->session), drop(it->input), drop(it->output);
    for (int i = 0; i < ENTRIES; i++)
        drop(it->entries[i]);
    memset(it, 0, sizeof *it);
}

/* To another worker, which frees it, as long as there is room with it: else the sender frees what was there. */
static void send_to(worker *me, worker *other, block *answer) {
    drop(atomic_exchange(&other->mail[draw(me) % LETTERS], answer));
}

static void read_mail(worker *me) {
    for (int i = 0; i < LETTERS; i++)
        if (atomic_load_explicit(&me->mail[i], memory_order_relaxed))
            drop(atomic_exchange(&me->mail[i], NULL));
}

static void remember(worker *me, block *entry) {
    unsigned slot = draw(me) % CACHE;
    pthread_mutex_lock(&cache_locks[slot % 64]);
    block *before = cache[slot];
    cache[slot] = entry;
    pthread_mutex_unlock(&cache_locks[slot % 64]);
    drop(before);
}

static void request(worker *me, connection *it) {
    block *parsed = NULL;
    for (unsigned left = 4 + draw(me) % 12; left; left--) {
        block *part = make(size_between(me, 4, 9));
        part->next = parsed;
        parsed = part;
    }
    for (int i = 0; i < 3; i++) {
        block **entry = &it->entries[draw(me) % ENTRIES];
        drop(*entry);
        *entry = make(size_between(me, 4, 10));
    }
    block *answer = make(size_between(me, 6, draw(me) % 64 ? 13 : 19));
    switch (draw(me) % 4) {
    case 0: send_to(me, &all[draw(me) % (unsigned)workers], answer); break;
    case 1: remember(me, answer); break;
    default: drop(answer);
    }
    drop_all(parsed);
}

static int goes_on(void) {
    return seconds ? now() - began < (double)seconds : atomic_load(&served) < limit;
}

/* Called by the thread that serves the request of this number. */
static void sample(long number) {
    long at = resident();
    double part = seconds ? (now() - began) / (double)seconds : (double)number / (double)limit;
    if (at > atomic_load(&peak))
        atomic_store(&peak, at);
    if (part >= 0.5) {
        atomic_fetch_add(&sum, at);
        atomic_fetch_add(&samples, 1);
    }
}

/* The part of a worker's connections that are open: it rises and falls, out of step with the others. */
static unsigned wanted(worker *me, unsigned own) {
    unsigned phase = (unsigned)(me->served / 8 + (me - all) * 16) % 256;
    unsigned height = phase < 128 ? phase : 256 - phase;
    return own / 4 + own * 3 / 4 * height / 128;
}

static void start(worker *it);

static void *life(void *argument) {
    worker *me = argument;
    unsigned own = (unsigned)(connections / workers);
    sem_wait(&gate);
    sem_post(&gate);
    long until = me->served + LIVES + draw(me) % LIVES;
    while (me->served < until && goes_on()) {
        unsigned place = draw(me) % own;
        connection *it = &me->connections[place];
        if (it->session && (place >= wanted(me, own) || draw(me) % 64 == 0))
            closed(it);
        else if (!it->session && place < wanted(me, own))
            opened(me, it);
        if (it->session)
            request(me, it);
        read_mail(me);
        me->served++;
        long number = atomic_fetch_add(&served, 1);
        if (number % 1024 == 0)
            sample(number);
    }
    if (goes_on())
        start(me);
    if (atomic_fetch_sub(&running, 1) == 1)
        sem_post(&done);
    return NULL;
}

/* Its thread ends by itself; the next takes over what it has. */
static void start(worker *it) {
    pthread_t thread;
    atomic_fetch_add(&running, 1);
    if (pthread_create(&thread, NULL, life, it))
        abort();
    pthread_detach(thread);
}

int main(int count, char **words) {
    if (count != 4)
        return 2;
    workers = atoi(words[1]), connections = atoi(words[2]);
    if (strchr(words[3], 's'))
        seconds = atol(words[3]);
    else
        limit = atol(words[3]);
    all = calloc((size_t)workers, sizeof *all);
    for (int i = 0; i < 64; i++)
        pthread_mutex_init(&cache_locks[i], NULL);
    sem_init(&gate, 0, 0);
    sem_init(&done, 0, 0);
    atomic_fetch_add(&running, 1);
    for (int i = 0; i < workers; i++) {
        all[i].seed = (uint64_t)i + 1;
        all[i].connections = calloc((size_t)(connections / workers), sizeof(connection));
        start(&all[i]);
    }
    /* All begin at once. */
    began = now();
    sem_post(&gate);
    if (atomic_fetch_sub(&running, 1) > 1)
        sem_wait(&done);
    long mean = samples ? sum / samples : 0;
    printf("%ld %ld %ld %ld\n", peak, mean, live_peak / 1024, served);
    return 0;
}
