/* Strings sorted by threads that free each other's blocks: strings THREADS STRINGS ROUNDS
 *
 * In a round each thread allocates its strings one by one and sorts them; then the halves are merged, two threads'
 * at a time, into copies, and the strings that were merged are freed by the thread that merges, which is not the one
 * that allocated them. Prints a checksum of every round.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_THREADS = 16 };

struct part {
    char **strings;
    size_t number;
    unsigned seed;
};

static unsigned draw(unsigned *state, unsigned below)
{
    *state = *state * 1664525U + 1013904223U;
    return (*state >> 10) % below;
}

static void *allocated(size_t bytes)
{
    void *const block = malloc(bytes);

    if (block == NULL) {
        fprintf(stderr, "no memory for %zu bytes\n", bytes);
        exit(1);
    }
    return block;
}

static int by_text(const void *one, const void *other)
{
    return strcmp(*(char *const *)one, *(char *const *)other);
}

static void *fill(void *argument)
{
    struct part *const part = argument;

    part->strings = allocated(part->number * sizeof *part->strings);
    for (size_t i = 0; i < part->number; i++) {
        const unsigned length = 4U + draw(&part->seed, 60U);
        char *const string = allocated(length + 1U);

        for (unsigned at = 0; at < length; at++) {
            string[at] = (char)('a' + draw(&part->seed, 26U));
        }
        string[length] = '\0';
        part->strings[i] = string;
    }
    qsort(part->strings, part->number, sizeof *part->strings, by_text);
    return NULL;
}

/* A copy of a string, which itself is freed. */
static char *copied(char *string)
{
    char *const copy = allocated(strlen(string) + 1U);

    strcpy(copy, string);
    free(string);
    return copy;
}

struct merge {
    struct part *left;
    struct part *right;
};

static void *merge(void *argument)
{
    struct part *const left = ((struct merge *)argument)->left;
    struct part *const right = ((struct merge *)argument)->right;
    char **const all = allocated((left->number + right->number) * sizeof *all);
    size_t l = 0, r = 0;

    while (l < left->number || r < right->number) {
        const int from_left =
            r == right->number || (l < left->number && strcmp(left->strings[l], right->strings[r]) <= 0);
        char *const string = from_left ? left->strings[l] : right->strings[r];

        all[l + r] = copied(string);
        *(from_left ? &l : &r) += 1U;
    }
    free(left->strings);
    free(right->strings);
    left->strings = all;
    left->number += right->number;
    right->strings = NULL;
    right->number = 0;
    return NULL;
}

/* The checksum of the strings, which are freed. */
static unsigned long long drained(struct part *part)
{
    unsigned long long sum = 0;

    for (size_t i = 0; i < part->number; i++) {
        if (i > 0 && strcmp(part->strings[i - 1], part->strings[i]) > 0) {
            fprintf(stderr, "out of order at %zu\n", i);
            exit(1);
        }
        for (const char *at = part->strings[i]; *at != '\0'; at++) {
            sum = sum * 31U + (unsigned char)*at;
        }
        if (i > 0) {
            free(part->strings[i - 1]);
        }
    }
    if (part->number > 0) {
        free(part->strings[part->number - 1]);
    }
    free(part->strings);
    return sum;
}

int main(int count, char **arguments)
{
    const int threads = count > 1 ? atoi(arguments[1]) : 2;
    const size_t strings = count > 2 ? strtoul(arguments[2], NULL, 10) : 100000U;
    const int rounds = count > 3 ? atoi(arguments[3]) : 5;
    struct part parts[MAX_THREADS];
    struct merge merges[MAX_THREADS];
    pthread_t workers[MAX_THREADS];

    if (threads < 1 || threads > MAX_THREADS / 2) {
        fprintf(stderr, "1 to %d threads\n", MAX_THREADS / 2);
        return 2;
    }
    for (int round = 0; round < rounds; round++) {
        /* Two parts a thread, so that all threads merge at once at first. */
        for (int i = 0; i < 2 * threads; i++) {
            parts[i] = (struct part){.number = strings, .seed = (unsigned)(round * MAX_THREADS + i)};
        }
        for (int half = 0; half < 2; half++) {
            for (int i = 0; i < threads; i++) {
                pthread_create(&workers[i], NULL, fill, &parts[2 * i + half]);
            }
            for (int i = 0; i < threads; i++) {
                pthread_join(workers[i], NULL);
            }
        }
        for (int step = 1; step < 2 * threads; step *= 2) {
            int started = 0;

            for (int i = 0; i + step < 2 * threads; i += 2 * step) {
                merges[started] = (struct merge){.left = &parts[i], .right = &parts[i + step]};
                pthread_create(&workers[started], NULL, merge, &merges[started]);
                started++;
            }
            for (int i = 0; i < started; i++) {
                pthread_join(workers[i], NULL);
            }
        }
        printf("round %d: %zu strings, ", round, parts[0].number);
        printf("checksum %llx\n", drained(&parts[0]));
    }
    return 0;
}
