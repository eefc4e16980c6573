/* Runs a program, and writes what it took, with the mean of its resident memory.
 *
 *   resident FIGURES PROGRAM ARGUMENTS...
 *
 * FIGURES gets one line: microseconds of processors (the program's and the system's for it), most KiB resident, mean KiB
 * resident over its time, and how it ended (exit code, or 128 + the signal). The mean is of looks at /proc, one in a
 * millisecond; what they take is this process's, and not the program's.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { FIGURES = 1, PROGRAM };

static long long microseconds(struct timeval time)
{
    return time.tv_sec * 1000000LL + time.tv_usec;
}

/* KiB that a process has resident; 0 where nobody knows. */
static long resident(const char *path)
{
    long whole = 0;
    long pages = 0;
    FILE *const file = fopen(path, "r");

    if (file != NULL) {
        if (fscanf(file, "%ld %ld", &whole, &pages) != 2) {
            pages = 0;
        }
        (void)fclose(file);
    }
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

/* Waits for a process, and gives the mean of what it had resident. */
static long long watch(pid_t child, int *status, struct rusage *usage)
{
    const struct timespec pause = {0, 1000000};
    char path[64];
    long long sum = 0;
    long long looks = 0;

    (void)snprintf(path, sizeof path, "/proc/%d/statm", (int)child);
    while (wait4(child, status, WNOHANG, usage) == 0) {
        const long now = resident(path);

        if (now > 0) {
            sum += now;
            looks += 1;
        }
        (void)nanosleep(&pause, NULL);
    }
    return looks > 0 ? sum / looks : 0;
}

int main(int number, char **arguments)
{
    struct rusage usage;
    int status;

    if (number <= PROGRAM) {
        fprintf(stderr, "resident FIGURES PROGRAM ARGUMENTS...\n");
        return 125;
    }
    const pid_t child = vfork();

    if (child == 0) {
        execvp(arguments[PROGRAM], &arguments[PROGRAM]);
        _exit(127);
    }
    if (child < 0) {
        perror("vfork");
        return 125;
    }
    const long long mean = watch(child, &status, &usage);
    const int ended = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    FILE *const file = fopen(arguments[FIGURES], "w");

    if (file == NULL) {
        perror(arguments[FIGURES]);
        return 125;
    }
    fprintf(file, "%lld %ld %lld %d\n", microseconds(usage.ru_utime) + microseconds(usage.ru_stime), usage.ru_maxrss, mean,
            ended);
    return fclose(file) == 0 ? ended : 125;
}
