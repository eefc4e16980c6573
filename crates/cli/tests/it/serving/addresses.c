/* Asks for blocks of many sizes and alignments, and prints where each lies, counted from the first: in one thread, or where an
 * argument is given, in threads that take turns, of which each also frees what others got. */
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 300, STEPS = 5000, THREADS = 3, GENERATIONS = 4, ROUNDS = 12, STEPS_OF_ROUND = 60 };

static char *blocks[SLOTS];
static char *first;

static void take_steps(int steps)
{
    static uint32_t random = 12345;

    for (int step = 0; step < steps; step++) {
        random = random * 1664525U + 1013904223U;
        char **const slot = &blocks[(random >> 8) % SLOTS];
        const uint32_t what = (random >> 28) % 8U;
        const size_t size = ((random >> 12) % 16U == 0U) ? (random >> 16) : (random >> 16) % 700U;

        if (*slot != NULL && what < 3U) {
            free(*slot);
            *slot = NULL;
        } else if (*slot != NULL && what == 3U) {
            *slot = realloc(*slot, size + 1U);
        } else if (*slot == NULL && what == 4U) {
            *slot = memalign((size_t)16 << (random % 6U), size);
        } else if (*slot == NULL && what == 5U) {
            *slot = calloc(3, size / 3U);
        } else if (*slot == NULL) {
            *slot = malloc(size);
        }
        if (*slot != NULL) {
            memset(*slot, step, malloc_usable_size(*slot));
            printf("%ld %zu\n", (long)(*slot - first), malloc_usable_size(*slot));
        } else {
            printf("none\n");
        }
    }
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t passed = PTHREAD_COND_INITIALIZER;
static int turn;

static void await_turn(int number)
{
    pthread_mutex_lock(&lock);
    while (turn != number) {
        pthread_cond_wait(&passed, &lock);
    }
    pthread_mutex_unlock(&lock);
}

static void pass_to(int number)
{
    pthread_mutex_lock(&lock);
    turn = number;
    pthread_cond_broadcast(&passed);
    pthread_mutex_unlock(&lock);
}

/* Takes its turns, and ends when it has one more. */
static void *take_turns(void *given)
{
    const int number = (int)(intptr_t)given;

    for (int round = 0; round < ROUNDS; round++) {
        await_turn(number);
        take_steps(STEPS_OF_ROUND);
        pass_to((round + 1 == ROUNDS && number + 1 == THREADS) ? THREADS : (number + 1) % THREADS);
    }
    await_turn(number);
    return NULL;
}

int main(int count, char **arguments)
{
    static char line[1 << 16];

    (void)arguments;
    setvbuf(stdout, line, _IOFBF, sizeof line);
    first = malloc(1);
    take_steps(STEPS);
    for (int generation = 0; count > 1 && generation < GENERATIONS; generation++) {
        pthread_t threads[THREADS];

        turn = THREADS;
        for (int number = 0; number < THREADS; number++) {
            pthread_create(&threads[number], NULL, take_turns, (void *)(intptr_t)number);
        }
        pass_to(0);
        await_turn(THREADS);
        for (int number = 0; number < THREADS; number++) {
            pass_to(number);
            pthread_join(threads[number], NULL);
        }
    }
    return 0;
}
