/* Plays lines of standard input on the recorder for boards, and writes its stream to standard output:
 *
 *   a ADDRESS SIZE ALIGNMENT   an allocation          r OLD NEW SIZE   a reallocation      f ADDRESS   a free
 *   c TICKS TASK SITE          what comes next        d BYTES          drain, by a link that takes this many bytes
 *   e                          finish                                                                                 */
#include "heapsmith_trace.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned long ticks;
static unsigned long task;
static unsigned long site;
static size_t takes;

uint32_t player_ticks(void);
uint32_t player_task(void);
uint32_t player_site(void);
size_t player_write(const unsigned char *bytes, size_t count);

uint32_t player_ticks(void)
{
    return (uint32_t)ticks;
}

uint32_t player_task(void)
{
    return (uint32_t)task;
}

uint32_t player_site(void)
{
    return (uint32_t)site;
}

/* At most seven bytes at once, so that events are sent in parts. */
size_t player_write(const unsigned char *bytes, size_t count)
{
    const size_t max = (takes < 7U) ? takes : 7U;
    const size_t taken = (count < max) ? count : max;

    takes -= taken;
    return fwrite(bytes, 1U, taken, stdout);
}

static const void *pointer(const char *text)
{
    return (const void *)(uintptr_t)strtoull(text, NULL, 16);
}

int main(void)
{
    char line[200];

    while (fgets(line, sizeof(line), stdin) != NULL) {
        char kind = '\0';
        char first[24] = "0";
        char second[24] = "0";
        char third[24] = "0";

        (void)sscanf(line, "%c %23s %23s %23s", &kind, first, second, third);
        switch (kind) {
        case 'a':
            heapsmith_trace_allocate(pointer(first), (size_t)strtoull(second, NULL, 10), (size_t)strtoull(third, NULL, 10));
            break;
        case 'r':
            heapsmith_trace_reallocate(pointer(first), pointer(second), (size_t)strtoull(third, NULL, 10));
            break;
        case 'f':
            heapsmith_trace_free(pointer(first));
            break;
        case 'c':
            ticks = strtoul(first, NULL, 10);
            task = strtoul(second, NULL, 10);
            site = strtoul(third, NULL, 16);
            break;
        case 'd': {
            size_t sent;

            takes = strtoul(first, NULL, 10);
            do {
                sent = heapsmith_trace_drain();
            } while ((takes > 0U) && (sent > 0U));
            break;
        }
        default:
            takes = SIZE_MAX;
            heapsmith_trace_finish();
            break;
        }
    }
    fprintf(stderr, "%lu\n", heapsmith_trace_lost());
    return 0;
}
