/* Malloc-heavy, as a service that takes in documents: parse a text of nested lists, names
 * and numbers into a tree of nodes and strings, look at all of it, free it; again and again.
 * Arguments: threads that do that at once, and rounds. Prints the nanoseconds that it took, by the clock and
 * of its processors, and a
 * sum, so that nothing is left out. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum kind { NUMBER, NAME, LIST };

struct node {
    enum kind kind;
    struct node *next;
    union {
        long number;
        char *name;
        struct node *first;
    };
};

static char text[1 << 18];

static void write_text(void) {
    unsigned seed = 12345;
    int depth = 0, at = 0;
    while (at < (int)sizeof text - 200) {
        seed = seed * 1664525u + 1013904223u;
        unsigned draw = seed >> 16;
        if (draw % 8 == 0 && depth < 30) {
            text[at++] = '(';
            depth++;
        } else if (draw % 8 == 1 && depth > 0) {
            text[at++] = ')';
            depth--;
        } else if (draw % 2) {
            at += sprintf(text + at, "%u ", draw);
        } else {
            for (unsigned letters = 3 + draw % 29; letters > 0; letters--)
                text[at++] = 'a' + (draw + letters * 7) % 26;
            text[at++] = ' ';
        }
    }
    while (depth-- > 0)
        text[at++] = ')';
    text[at] = 0;
}

static struct node *parse(const char **at) {
    struct node *first = NULL, **end = &first;
    for (;;) {
        while (**at == ' ')
            ++*at;
        if (**at == 0 || **at == ')') {
            if (**at)
                ++*at;
            return first;
        }
        struct node *node = malloc(sizeof *node);
        node->next = NULL;
        if (**at == '(') {
            ++*at;
            node->kind = LIST;
            node->first = parse(at);
        } else if (**at >= '0' && **at <= '9') {
            char *rest;
            node->kind = NUMBER;
            node->number = strtol(*at, &rest, 10);
            *at = rest;
        } else {
            size_t length = strcspn(*at, " ()");
            node->kind = NAME;
            node->name = malloc(length + 1);
            memcpy(node->name, *at, length);
            node->name[length] = 0;
            *at += length;
        }
        *end = node;
        end = &node->next;
    }
}

static long sum(const struct node *node) {
    long total = 0;
    for (; node; node = node->next) {
        if (node->kind == LIST)
            total += sum(node->first);
        else if (node->kind == NUMBER)
            total += node->number;
        else
            for (const char *letter = node->name; *letter; letter++)
                total = total * 31 + *letter;
    }
    return total;
}

static void drop(struct node *node) {
    while (node) {
        struct node *next = node->next;
        if (node->kind == LIST)
            drop(node->first);
        else if (node->kind == NAME)
            free(node->name);
        free(node);
        node = next;
    }
}

static void *work(void *rounds) {
    long total = 0;
    for (long round = 0; round < (long)rounds; round++) {
        const char *at = text;
        struct node *tree = parse(&at);
        total += sum(tree);
        drop(tree);
    }
    return (void *)total;
}

int main(int count, char **arguments) {
    int threads = count > 1 ? atoi(arguments[1]) : 1;
    long rounds = count > 2 ? atol(arguments[2]) : 100;
    long total = 0;
    pthread_t others[64];
    struct timespec start, end, used;
    write_text();
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (int i = 1; i < threads; i++)
        pthread_create(&others[i], NULL, work, (void *)rounds);
    total += (long)work((void *)rounds);
    for (int i = 1; i < threads; i++) {
        void *theirs;
        pthread_join(others[i], &theirs);
        total += (long)theirs;
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    printf("%ld %ld %lx\n", (end.tv_sec - start.tv_sec) * 1000000000 + end.tv_nsec - start.tv_nsec,
           used.tv_sec * 1000000000 + used.tv_nsec, total);
    return 0;
}
