/* Allocates by each function, in threads and in a child; and, by an argument,
 *
 *   prctl, seccomp   with system calls restricted by either way
 *   limit            with files limited to what the recording has already
 *   stacks           in STACKS threads one after another, each on a stack of its own
 *   fork             in threads of children, which are forked while other threads allocate
 *   title            in a child, after it wrote over its environment
 */
#define _GNU_SOURCE

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 1000, THREADS = 3, MANY = 200000, STACKS = 2000, STACK = 64 * 1024, CHILDREN = 5 };

extern char **environ;


static char *volatile kept;

/* An allocator of its own. */
__attribute__((noinline)) void *pool_malloc(size_t size) { return malloc(size + 16); }
__attribute__((noinline)) void pool_free(void *block) { free(block); }

/* A single instruction, where a jump takes five bytes. */
__attribute__((noinline)) void none_free(void *block) { __asm__ volatile("" : : "r"(block)); }

/* The operator of C++. */
void *operator_new(size_t size) __asm__("_Znwm");
__attribute__((noinline, used)) void *operator_new(size_t size) { return malloc(size); }

/* No allocator's function, for all that it is called so: zlib asks its callers for one like it. */
__attribute__((noinline)) void *zalloc(void *opaque, unsigned count, unsigned size)
{
    (void)opaque;
    return malloc((size_t)count * size);
}

static void *once(void *argument)
{
    void *volatile block = malloc(50);
    free(block);
    return argument;
}

static void in_threads(void)
{
    for (int number = 0; number < STACKS; number++) {
        pthread_t thread;
        pthread_attr_t attributes;
        void *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

        pthread_attr_init(&attributes);
        pthread_attr_setstack(&attributes, stack, STACK);
        if (pthread_create(&thread, &attributes, once, NULL) != 0)
            exit(3);
        pthread_join(thread, NULL);
    }
}

static void *thousand(void *argument)
{
    for (int round = 0; round < ROUNDS; round++)
        once(NULL);
    return argument;
}

static atomic_bool ends;

static void *until_the_end(void *argument)
{
    while (!ends)
        once(NULL);
    return argument;
}

static void run(void *(*begin)(void *), int fork_meanwhile)
{
    pthread_t threads[THREADS];
    for (int number = 0; number < THREADS; number++)
        pthread_create(&threads[number], NULL, begin, NULL);
    for (int number = 0; number < fork_meanwhile; number++) {
        if (fork() == 0) {
            run(thousand, 0);
            _exit(0);
        }
        wait(NULL);
    }
    ends = true;
    for (int number = 0; number < THREADS; number++)
        pthread_join(threads[number], NULL);
}

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
static int restrict_calls(bool by_prctl)
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
    if (by_prctl)
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
    const char *what = count > 1 ? arguments[1] : "";
    run(work, 0);
    void *aligned = aligned_alloc(64, 640), *page = NULL;
    if (posix_memalign(&page, 4096, 100) != 0 || (uintptr_t)page % 4096 != 0 || !waits_for_nothing())
        return 1;
    free(aligned);
    free(page);
    free(kept = calloc(3, 7));
    free(kept = pvalloc(100));
    free(kept = zalloc(&ends, 3, 11));
    kept = malloc(24);
    if (malloc_usable_size(kept) < 24)
        return 1;
    free(kept);
    for (char **variable = environ; strcmp(what, "title") == 0 && *variable != NULL; variable++)
        memset(*variable, 'x', strlen(*variable));
    for (int round = 0; round < 5; round++)
        pool_free(kept = pool_malloc(32));
    none_free(kept);
    if (fork() == 0) {
        for (int round = 0; round < 100; round++)
            free(kept = malloc(20));
        _exit(0);
    }
    wait(NULL);
    printf("%s %d\n", arguments[0], count);
    fflush(stdout);
    bool by_prctl = strcmp(what, "prctl") == 0, is_limited = strcmp(what, "limit") == 0;
    bool is_restricted = by_prctl || strcmp(what, "seccomp") == 0;
    const struct rlimit limit = { STACK, STACK };
    if ((is_restricted && restrict_calls(by_prctl) != 0) || (is_limited && setrlimit(RLIMIT_FSIZE, &limit) != 0))
        return 2;
    for (int round = 0; (is_restricted || is_limited) && round < MANY; round++)
        free(kept = malloc(20 + round % 100));
    if (strcmp(what, "stacks") == 0)
        in_threads();
    if (strcmp(what, "fork") == 0) {
        ends = false;
        run(until_the_end, CHILDREN);
    }
    return 7;
}
