/* A key-value server whose every byte comes from one emitted heap, in a region of a fixed size.
 *
 *   set KEY VALUE | get KEY | del KEY | stats | quit          a line each, over TCP on 127.0.0.1
 *
 * When the region is full a request is refused with an error, and the server continues: what it stores is
 * bounded, whatever its clients do.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "store_heap.h"

#define BUCKETS 1024U
#define MAX_LINE 4096U

struct entry {
    struct entry *next;
    char *value;
    char key[]; /* with its end */
};

static _Alignas(4096) unsigned char region[256U * 1024U];
static store_heap heap;
static struct entry *buckets[BUCKETS];

static struct entry **bucket_of(const char *key)
{
    uint32_t hash = 2166136261U;

    for (; *key != '\0'; key++) {
        hash = (hash ^ (unsigned char)*key) * 16777619U;
    }
    return &buckets[hash % BUCKETS];
}

/* The link that leads to the entry of `key`, or to the end of its bucket. */
static struct entry **find(const char *key)
{
    struct entry **link = bucket_of(key);

    while ((*link != NULL) && (strcmp((*link)->key, key) != 0)) {
        link = &(*link)->next;
    }
    return link;
}

static bool set(const char *key, const char *value)
{
    struct entry **link = find(key);
    struct entry *entry = *link;
    char *copy = store_heap_reallocate(&heap, (entry == NULL) ? NULL : entry->value, strlen(value) + 1U, 1U);

    if (copy == NULL) {
        return false;
    }
    if (entry == NULL) {
        entry = store_heap_allocate(&heap, sizeof *entry + strlen(key) + 1U);
        if (entry == NULL) {
            store_heap_free(&heap, copy);
            return false;
        }
        entry->next = NULL;
        (void)strcpy(entry->key, key);
        *link = entry;
    }
    entry->value = strcpy(copy, value);
    return true;
}

static bool del(const char *key)
{
    struct entry **link = find(key);
    struct entry *entry = *link;

    if (entry == NULL) {
        return false;
    }
    *link = entry->next;
    store_heap_free(&heap, entry->value);
    store_heap_free(&heap, entry);
    return true;
}

static void answer(FILE *client, char *line)
{
    char *rest = NULL;
    const char *verb = strtok_r(line, " \n", &rest);
    const char *key = strtok_r(NULL, " \n", &rest);
    const char *value = strtok_r(NULL, "\n", &rest);

    if ((verb != NULL) && (strcmp(verb, "set") == 0) && (value != NULL)) {
        (void)fputs(set(key, value) ? "ok\n" : "error: the heap is full\n", client);
    } else if ((verb != NULL) && (strcmp(verb, "get") == 0) && (key != NULL)) {
        const struct entry *entry = *find(key);

        (void)fprintf(client, "%s\n", (entry == NULL) ? "none" : entry->value);
    } else if ((verb != NULL) && (strcmp(verb, "del") == 0) && (key != NULL)) {
        (void)fputs(del(key) ? "ok\n" : "none\n", client);
    } else if ((verb != NULL) && (strcmp(verb, "stats") == 0)) {
        const struct store_heap_statistics counts = store_heap_statistics(&heap);

        (void)fprintf(client, "blocks %zu free %zu footprint %zu peak %zu broken %u\n", counts.used_blocks,
                      counts.free_bytes, counts.footprint, counts.footprint_peak, store_heap_check(&heap));
    } else {
        (void)fputs("error: set KEY VALUE, get KEY, del KEY, stats or quit\n", client);
    }
    (void)fflush(client);
}

/* A socket that listens on a free port of 127.0.0.1; prints the port. */
static int listening(void)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t length = sizeof address;
    const int listener = socket(AF_INET, SOCK_STREAM, 0);

    if ((listener < 0) || (bind(listener, (const struct sockaddr *)&address, length) != 0) ||
        (listen(listener, 8) != 0) || (getsockname(listener, (struct sockaddr *)&address, &length) != 0)) {
        perror("server");
        return -1;
    }
    (void)printf("listening on %u\n", (unsigned int)ntohs(address.sin_port));
    (void)fflush(stdout);
    return listener;
}

/* Serves one client; false if it wants the server to end. */
static bool serve(FILE *client)
{
    static char line[MAX_LINE];

    while (fgets(line, sizeof line, client) != NULL) {
        if (strcmp(line, "quit\n") == 0) {
            return false;
        }
        answer(client, line);
    }
    return true;
}

int main(void)
{
    const int listener = listening();
    bool goes_on = (listener >= 0) && store_heap_init(&heap, region, sizeof region);

    while (goes_on) {
        const int connection = accept(listener, NULL, NULL);
        FILE *client = (connection < 0) ? NULL : fdopen(connection, "r+");

        if (client != NULL) {
            goes_on = serve(client);
            (void)fclose(client);
        }
    }
    return 0;
}
