/* A clock that jumps: preloaded, it moves the time of day by up to a year, back and forth, and the monotonic clock, which
 * systems promise never to turn back and virtual machines have turned back, by up to a second.
 *
 * CLOCK_SEED begins the random numbers. The kernel's own clock stays as it is, so what waits in the kernel until a moment
 * of the monotonic clock waits a second longer at most.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000LL

/* A number below a limit, of another call another one. */
static int64_t drawn(int64_t limit)
{
    static _Atomic uint64_t calls;
    const char *const seed = getenv("CLOCK_SEED");
    uint64_t number = (seed == NULL ? 0 : strtoull(seed, NULL, 10)) + atomic_fetch_add(&calls, 1) * 0x9e3779b97f4a7c15u;

    number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9u;
    number = (number ^ (number >> 27)) * 0x94d049bb133111ebu;
    return (int64_t)((number ^ (number >> 31)) % (uint64_t)limit);
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    const int outcome = (int)syscall(SYS_clock_gettime, clock, now);
    const int64_t max = clock == CLOCK_REALTIME ? 365 * 86400 * SECOND : SECOND;
    int64_t time;

    if (outcome != 0 || (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC && clock != CLOCK_BOOTTIME)) {
        return outcome;
    }
    time = now->tv_sec * SECOND + now->tv_nsec + drawn(2 * max) - max;
    time = time < 0 ? 0 : time;
    now->tv_sec = time / SECOND;
    now->tv_nsec = time % SECOND;
    return 0;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    struct timespec time;

    (void)zone;
    (void)clock_gettime(CLOCK_REALTIME, &time);
    now->tv_sec = time.tv_sec;
    now->tv_usec = time.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *now)
{
    struct timespec time;

    (void)clock_gettime(CLOCK_REALTIME, &time);
    if (now != NULL) {
        *now = time.tv_sec;
    }
    return time.tv_sec;
}
