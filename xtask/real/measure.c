/* Runs a program with a library preloaded, and writes what it took.
 *
 *   measure FIGURES WITNESS LIBRARY PROGRAM ARGUMENTS...
 *
 * WITNESS and LIBRARY are preloaded in this order before what LD_PRELOAD has already; either may be "".
 * FIGURES gets one line: nanoseconds by the clock, microseconds of processors (the program's and the system's for
 * it), most KiB resident in any one of its processes, and how it ended (exit code, or 128 + the signal). Times are of
 * all processes of the program that were waited for, as wait4 has them. The program is started by vfork, so that
 * none of this process's pages count as the program's.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { FIGURES = 1, WITNESS, LIBRARY, PROGRAM };

static long long nanoseconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static long long microseconds(struct timeval time)
{
    return time.tv_sec * 1000000LL + time.tv_usec;
}

/* LD_PRELOAD for the program, which the loader reads: libraries with colons between them. */
static char *preloaded(const char *first, const char *second)
{
    const char *inherited = getenv("LD_PRELOAD");
    char *libraries = NULL;

    if (inherited == NULL) {
        inherited = "";
    }
    if (asprintf(&libraries, "%s:%s:%s", first, second, inherited) < 0) {
        exit(125);
    }
    return libraries;
}

int main(int number, char **arguments)
{
    struct rusage usage;
    long long began;
    pid_t child;
    int status;
    FILE *file;

    if (number <= PROGRAM) {
        fprintf(stderr, "measure FIGURES WITNESS LIBRARY PROGRAM ARGUMENTS...\n");
        return 125;
    }
    setenv("LD_PRELOAD", preloaded(arguments[WITNESS], arguments[LIBRARY]), 1);
    began = nanoseconds();
    child = vfork();
    if (child == 0) {
        execvp(arguments[PROGRAM], &arguments[PROGRAM]);
        _exit(127);
    }
    if (child < 0) {
        perror("vfork");
        return 125;
    }
    while (wait4(child, &status, 0, &usage) < 0) {
        if (errno != EINTR) {
            perror("wait4");
            return 125;
        }
    }
    const long long took = nanoseconds() - began;
    const int ended = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);

    file = fopen(arguments[FIGURES], "w");
    if (file == NULL) {
        perror(arguments[FIGURES]);
        return 125;
    }
    fprintf(file, "%lld %lld %ld %d\n", took, microseconds(usage.ru_utime) + microseconds(usage.ru_stime),
            usage.ru_maxrss, ended);
    return fclose(file) == 0 ? ended : 125;
}
