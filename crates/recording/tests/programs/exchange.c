/* Threads exchange blocks until SIGTERM, and verify what they hold. The number of threads is the argument. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { PLACES = 4096, PAUSE_EVERY = 100 };

static void *places[PLACES];
static void *(*volatile allocate)(size_t) = malloc;
static void (*volatile release)(void *) = free;
static volatile sig_atomic_t stop;
static long wrong;

static void quit(int signal) {
    (void)signal;
    stop = 1;
}

static void *work(void *seed) {
    unsigned random = (unsigned)(size_t)seed * 7919 + 1;
    for (long round = 1; !stop; round++) {
        random = random * 1103515245 + 12345;
        size_t size = 16 + (random >> 20) % 500;
        size_t *block = random & 2 ? malloc(size) : allocate(size);
        block[0] = size;
        block[1] = ~size;
        block = __atomic_exchange_n(&places[(random >> 8) % PLACES], block, __ATOMIC_ACQ_REL);
        if (block != NULL) {
            if (block[0] != ~block[1]) __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
            if (random & 1) block = realloc(block, block[0] + 100);
            if (random & 4) free(block);
            else release(block);
        }
        if (round % PAUSE_EVERY == 0) usleep(1000);
    }
    return NULL;
}

int main(int count, char **arguments) {
    pthread_t threads[16];
    int number = count > 1 ? atoi(arguments[1]) : 1;
    /* Never done. Code at a fixed address that says so gives both functions addresses in the program itself. */
    if (count > 9) allocate = malloc, release = free;
    signal(SIGTERM, quit);
    for (int at = 0; at < number; at++) pthread_create(&threads[at], NULL, work, (void *)(size_t)(at + 1));
    puts("begun");
    fflush(stdout);
    for (int at = 0; at < number; at++) pthread_join(threads[at], NULL);
    printf("%ld wrong\n", wrong);
    return wrong != 0;
}
