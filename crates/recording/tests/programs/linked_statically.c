/* Allocates by each function, in threads and in a child, and with system calls restricted by either way. */

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 1000, THREADS = 3, MANY = 200000 };

static char *volatile kept;

/* An allocator of its own. */
__attribute__((noinline)) void *pool_malloc(size_t size) { return malloc(size + 16); }
__attribute__((noinline)) void pool_free(void *block) { free(block); }

static void *work(void *argument)
{
    for (size_t round = 0; round < ROUNDS; round++) {
        char *block = realloc(malloc(100 + round % 50), 300);
        memset(block, 1, 300);
        free(block);
    }
    return argument;
}

/* What the program may do from here on: have memory, write, end. */
static int restrict_calls(char way)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_brk, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = { sizeof filter / sizeof *filter, filter };
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return -1;
    if (way == 'p')
        return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}

/* Of arguments on the stack: `syscall` has seven here. */
static int waits_for_nothing(void)
{
    uint32_t word = 0;
    return syscall(SYS_futex, &word, 9, 1, NULL, NULL, UINT32_MAX) == -1;
}

int main(int count, char **arguments)
{
    pthread_t threads[THREADS];
    for (int number = 0; number < THREADS; number++)
        pthread_create(&threads[number], NULL, work, NULL);
    for (int number = 0; number < THREADS; number++)
        pthread_join(threads[number], NULL);
    void *aligned = aligned_alloc(64, 640), *page = NULL;
    if (posix_memalign(&page, 4096, 100) != 0 || (uintptr_t)page % 4096 != 0 || !waits_for_nothing())
        return 1;
    free(aligned);
    free(page);
    free(kept = calloc(3, 7));
    for (int round = 0; round < 5; round++)
        pool_free(kept = pool_malloc(32));
    if (fork() == 0) {
        for (int round = 0; round < 100; round++)
            free(kept = malloc(20));
        _exit(0);
    }
    wait(NULL);
    printf("%s %d\n", arguments[0], count);
    fflush(stdout);
    if (count > 1 && restrict_calls(arguments[1][0]) != 0)
        return 2;
    for (int round = 0; count > 1 && round < MANY; round++)
        free(kept = malloc(20 + round % 100));
    return 7;
}
