/*
 * Programs that are hard on a replacement of malloc: ./programs NAME.
 *
 * Each prints what it saw and ends in the same way every time, so that a run on another heap, or a recorded one, can be
 * compared with a plain one. Without a name, the names are listed.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static const char *self;

/* Allocates, writes, verifies and frees blocks of many sizes; ends the program if a byte has changed. */
static void work(unsigned blocks)
{
    unsigned char *live[64] = {0};
    size_t sizes[64] = {0};
    for (unsigned i = 0; i < blocks; i++) {
        unsigned at = i * 7 % 64;
        for (size_t byte = 0; byte < sizes[at]; byte += 61)
            if (live[at][byte] != (unsigned char)at)
                _exit(99);
        if (i % 5 == 0 && live[at]) {
            sizes[at] = sizes[at] * 2 % 3000 + 1;
            live[at] = realloc(live[at], sizes[at]);
        } else {
            free(live[at]);
            sizes[at] = i * 37 % 2000 + 1;
            live[at] = malloc(sizes[at]);
        }
        if (!live[at])
            _exit(98);
        memset(live[at], (int)at, sizes[at]);
    }
    for (unsigned at = 0; at < 64; at++)
        free(live[at]);
}

static void *worker(void *blocks)
{
    work((unsigned)(uintptr_t)blocks);
    return NULL;
}

static void *endless(void *unused)
{
    for (;;)
        work(100);
    return unused;
}

/* Waits for children until there is none; how many ended well. */
static int well_ended(void)
{
    int status, well = 0;
    while (wait(&status) > 0)
        well += WIFEXITED(status) && WEXITSTATUS(status) == 0;
    return well;
}

static int said(const char *words)
{
    puts(words);
    return 0;
}

static int plain(void)
{
    work(20000);
    return said("worked");
}

static int zeroed(void)
{
    for (size_t size = 1; size < 70000; size = size * 3 / 2 + 1) {
        char *dirty = malloc(size);
        memset(dirty, 0x5a, size);
        free(dirty);
        char *clean = calloc(1, size);
        for (size_t byte = 0; byte < size; byte++)
            if (clean[byte])
                return said("not zero");
        free(clean);
    }
    return said("zero");
}

static int aligned(void)
{
    void *block = NULL;
    int right = 1;
    for (size_t alignment = 8; alignment <= 65536; alignment *= 2) {
        right &= posix_memalign(&block, alignment, alignment / 2 + 3) == 0 && (uintptr_t)block % alignment == 0;
        block = realloc(block, alignment * 3);
        free(block);
        block = aligned_alloc(alignment, alignment);
        right &= (uintptr_t)block % alignment == 0;
        free(block);
    }
    right &= posix_memalign(&block, 3, 8) == EINVAL;
    return said(right ? "aligned" : "not aligned");
}

static int edges(void)
{
    volatile size_t huge = (size_t)PTRDIFF_MAX + 1;
    free(NULL);
    void *empty = malloc(0);
    printf("%d ", empty != NULL);
    free(empty);
    errno = 0;
    void *volatile none = malloc(huge);
    printf("%d %d ", none == NULL, errno == ENOMEM);
    printf("%d %d ", calloc(huge, 4) == NULL, reallocarray(NULL, huge, 4) == NULL);
    void *block = realloc(NULL, 10);
    none = realloc(block, huge);
    printf("%d ", none == NULL && malloc_usable_size(block) >= 10);
    none = realloc(block, 0);
    printf("%d\n", none == NULL);
    return 0;
}

static int grows(void)
{
    char *text = NULL;
    for (size_t size = 1; size < 40u << 20; size = size * 2 + 1) {
        text = realloc(text, size);
        text[size - 1] = 1;
    }
    free(text);
    return said("grown");
}

static int large(void)
{
    for (int i = 0; i < 4; i++) {
        char *block = malloc(200u << 20);
        if (!block)
            return said("refused");
        memset(block, i, 200u << 20);
        free(block);
    }
    return said("served");
}

static int many(void)
{
    static void *blocks[200000];
    for (size_t i = 0; i < 200000; i++)
        blocks[i] = malloc(i % 48 + 1);
    for (size_t i = 200000; i-- > 0;)
        free(blocks[i]);
    return said("freed");
}

static int fork_storm(void)
{
    for (int i = 0; i < 12; i++)
        if (fork() == 0) {
            for (int j = 0; j < 3; j++)
                if (fork() == 0) {
                    work(500);
                    _exit(0);
                }
            work(500);
            exit(well_ended() != 3);
        }
    printf("%d\n", well_ended());
    return 0;
}

static int fork_among_threads(void)
{
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, endless, NULL);
    for (int i = 0; i < 60; i++)
        if (fork() == 0) {
            work(200);
            _exit(0);
        }
    printf("%d\n", well_ended());
    return 0;
}

static int fork_chain(void)
{
    for (int depth = 0; depth < 30; depth++) {
        work(100);
        if (fork() != 0)
            exit(well_ended() == 1 ? 0 : 1);
    }
    return said("the last");
}

static int vforks(void)
{
    for (volatile int i = 0; i < 30; i++) {
        work(50);
        if (vfork() == 0) {
            execl("/bin/true", "true", (char *)NULL);
            _exit(127);
        }
    }
    printf("%d\n", well_ended());
    return 0;
}

static int spawns(void)
{
    char *arguments[] = {"true", NULL};
    for (int i = 0; i < 30; i++)
        posix_spawn(&(pid_t){0}, "/bin/true", NULL, NULL, arguments, environ);
    printf("%d\n", well_ended());
    return 0;
}

static int becomes_another(void)
{
    work(1000);
    execl(self, self, "plain", (char *)NULL);
    return 1;
}

static int empty_environment(void)
{
    char *arguments[] = {(char *)self, "plain", NULL}, *none[] = {NULL};
    execve(self, arguments, none);
    return 1;
}

static int cleared_environment(void)
{
    work(100);
    clearenv();
    work(100);
    setenv("PATH", "/bin:/usr/bin", 1);
    return system("echo cleared") == 0 ? 0 : 1;
}

static int shells(void)
{
    fflush(stdout);
    int status = system("echo one; (echo two; exit 3); sort </dev/null; exit 4");
    printf("%d\n", WEXITSTATUS(status));
    FILE *pipe = popen("printf 'a\\nb\\nc\\n' | sort -r", "r");
    char line[10];
    while (fgets(line, sizeof line, pipe))
        fputs(line, stdout);
    return pclose(pipe);
}

static int daemon_child(void)
{
    int ends[2];
    char word[10] = "";
    if (pipe(ends) != 0)
        return 1;
    if (fork() == 0) {
        setsid();
        if (fork() == 0) {
            work(2000);
            if (chdir("/") == 0 && write(ends[1], "daemon", 6) == 6)
                _exit(0);
        }
        _exit(0);
    }
    close(ends[1]);
    printf("%d %zd ", well_ended(), read(ends[0], word, sizeof word));
    return said(word);
}

static int thread_churn(void)
{
    for (int i = 0; i < 300; i++) {
        pthread_t threads[4];
        for (int j = 0; j < 4; j++)
            pthread_create(&threads[j], NULL, worker, (void *)(uintptr_t)50);
        for (int j = 0; j < 4; j++)
            pthread_join(threads[j], NULL);
    }
    return said("churned");
}

static void *gives(void *unused)
{
    void **blocks = malloc(1000 * sizeof *blocks);
    for (int i = 0; i < 1000; i++)
        blocks[i] = malloc((size_t)i % 400 + 1);
    (void)unused;
    return blocks;
}

static int freed_by_others(void)
{
    for (int i = 0; i < 100; i++) {
        pthread_t thread;
        void *blocks;
        pthread_create(&thread, NULL, gives, NULL);
        pthread_join(thread, &blocks);
        for (int j = 0; j < 1000; j++)
            free(((void **)blocks)[j]);
        free(blocks);
    }
    return said("freed");
}

static int ends_among_threads(void)
{
    pthread_t thread;
    for (int i = 0; i < 4; i++)
        pthread_create(&thread, NULL, endless, NULL);
    work(2000);
    return said("ended");
}

static void *last(void *unused)
{
    usleep(20000);
    work(1000);
    said("the thread");
    return unused;
}

static int main_thread_ends(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, last, NULL);
    pthread_exit(NULL);
}

static pthread_key_t key;

static void at_thread_end(void *block)
{
    free(block);
    /* The last rounds of destructors come after the library's own. */
    static _Thread_local int rounds;
    if (++rounds < 4)
        pthread_setspecific(key, malloc(100));
}

static void *with_key(void *unused)
{
    pthread_setspecific(key, malloc(100));
    work(50);
    return unused;
}

static int thread_destructors(void)
{
    pthread_key_create(&key, at_thread_end);
    for (int i = 0; i < 100; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, with_key, NULL);
        pthread_join(thread, NULL);
    }
    return said("destroyed");
}

static void *cancelled(void *unused)
{
    for (;;) {
        work(20);
        pthread_testcancel();
    }
    return unused;
}

static int cancels(void)
{
    for (int i = 0; i < 50; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, cancelled, NULL);
        usleep(200);
        pthread_cancel(thread);
        pthread_join(thread, NULL);
    }
    return said("cancelled");
}

static void at_end(void)
{
    work(500);
    said("at exit");
}

static int exit_handlers(void)
{
    for (int i = 0; i < 40; i++)
        atexit(at_end);
    exit(3);
}

static int leaves_at_once(void)
{
    work(500);
    if (write(1, "at once\n", 8) != 8)
        return 1;
    _exit(7);
}

static int quick_end(void)
{
    at_quick_exit(at_end);
    quick_exit(5);
}

static volatile sig_atomic_t rung;

static void ring(int number)
{
    rung += number != 0;
}

static int interrupted(void)
{
    struct sigaction action = {.sa_handler = ring};
    sigaction(SIGALRM, &action, NULL);
    struct itimerval often = {{0, 500}, {0, 500}};
    setitimer(ITIMER_REAL, &often, NULL);
    while (rung < 100)
        work(50);
    return said("rung");
}

static sigjmp_buf back;

static void jump(int number)
{
    siglongjmp(back, number);
}

static int jumps_out(void)
{
    struct sigaction action = {.sa_handler = jump, .sa_flags = SA_ONSTACK | SA_NODEFER};
    stack_t stack = {.ss_sp = malloc(65536), .ss_size = 65536};
    sigaltstack(&stack, NULL);
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGUSR1, &action, NULL);
    volatile char *wall = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (volatile int i = 0; i < 200; i++) {
        if (sigsetjmp(back, 1) == 0) {
            work(20);
            if (i % 2)
                raise(SIGUSR1);
            *wall = 1;
        }
    }
    return said("back");
}

static int faults(void)
{
    work(100);
    volatile char *wall = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *wall = 1;
    return 0;
}

static int aborts(void)
{
    work(100);
    abort();
}

static int kills_itself(void)
{
    work(100);
    kill(getpid(), SIGKILL);
    return 0;
}

static int ends_by_signal(void)
{
    work(100);
    raise(SIGTERM);
    return 0;
}

static int blocked_signals(void)
{
    sigset_t all, were;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    work(3000);
    pthread_t thread;
    pthread_create(&thread, NULL, worker, (void *)(uintptr_t)500);
    pthread_join(thread, NULL);
    sigprocmask(SIG_SETMASK, NULL, &were);
    return said(sigismember(&were, SIGUSR1) && sigismember(&were, SIGTERM) ? "still blocked" : "not blocked");
}

static void limit(int what, rlim_t number)
{
    struct rlimit limit = {number, number};
    if (setrlimit(what, &limit) != 0)
        _exit(97);
}

/* Under a limit of 200 MB, malloc must fail before it has returned 200 MB. */
static int limited_memory(void)
{
    work(100);
    limit(RLIMIT_AS, 200u << 20);
    size_t got = 0;
    for (char *block; got < 1u << 30 && (block = malloc(100000)) != NULL; got += 100000)
        memset(block, 1, 100000);
    return said(got < 200u << 20 ? "limited" : "not limited");
}

static int limited_files(void)
{
    signal(SIGXFSZ, SIG_IGN);
    limit(RLIMIT_FSIZE, 4096);
    work(20000);
    char bytes[8192] = {0}, name[] = "limited-XXXXXX";
    int file = mkstemp(name);
    unlink(name);
    printf("%zd ", write(file, bytes, sizeof bytes));
    printf("%d\n", write(file, bytes, sizeof bytes) < 0 && errno == EFBIG);
    return 0;
}

static int limited_files_by_default(void)
{
    limit(RLIMIT_FSIZE, 4096);
    work(20000);
    return said("no signal");
}

static int limited_descriptors(void)
{
    limit(RLIMIT_NOFILE, 3);
    work(5000);
    printf("%d\n", open("/dev/null", O_RDONLY) < 0 && errno == EMFILE);
    return 0;
}

static int limited_stack(void)
{
    limit(RLIMIT_STACK, 256 << 10);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 32 << 10);
    pthread_t thread;
    if (pthread_create(&thread, &attributes, worker, (void *)(uintptr_t)500) != 0)
        return said("no thread");
    pthread_join(thread, NULL);
    return said("small stack");
}

static int strict_seccomp(void)
{
    work(2000);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0)
        return 1;
    for (int i = 0; i < 100; i++) {
        char *volatile block = malloc(24);
        block[0] = 1;
        free(block);
    }
    syscall(SYS_write, 1, "strict\n", (size_t)7);
    syscall(SYS_exit, 0);
    return 1;
}

static int filtered(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ftruncate, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof code / sizeof *code, code};
    work(100);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        return 1;
    work(20000);
    pthread_t thread;
    pthread_create(&thread, NULL, worker, (void *)(uintptr_t)500);
    pthread_join(thread, NULL);
    return said("filtered");
}

/* Any call but these ends it: those that glibc's malloc needs for small blocks. */
static int walled(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_brk, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    static char *volatile blocks[4000];
    struct sock_fprog program = {sizeof code / sizeof *code, code};
    work(2000);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        return 1;
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 4000; i++)
            memset(blocks[i] = malloc(1000), 1, 1000);
        for (int i = 0; i < 4000; i++)
            free(blocks[i]);
    }
    syscall(SYS_write, 1, "walled\n", (size_t)7);
    _exit(0);
}

static int closed_descriptors(void)
{
    work(100);
    for (int file = 3; file < 1024; file++)
        close(file);
    work(20000);
    printf("%d\n", open("/dev/null", O_RDONLY));
    return 0;
}

static int first_descriptor(void)
{
    work(2000);
    printf("%d\n", open("/dev/null", O_RDONLY));
    return 0;
}

static int closed_streams(void)
{
    for (int file = 0; file < 3; file++)
        close(file);
    work(5000);
    return 5;
}

static int reused_descriptors(void)
{
    char name[] = "victim-XXXXXX", was[10] = "";
    for (int file = 3; file < 64; file++)
        close(file);
    int file = mkstemp(name);
    unlink(name);
    if (write(file, "precious", 8) != 8)
        return 1;
    work(20000);
    printf("%zd ", pread(file, was, 9, 0));
    return said(was);
}

static int loads_libraries(void)
{
    for (int i = 0; i < 100; i++) {
        void *library = dlopen("libm.so.6", RTLD_NOW);
        if (!library)
            return said(dlerror());
        work(20);
        dlclose(library);
    }
    void *(*get)(size_t) = (void *(*)(size_t))dlsym(RTLD_DEFAULT, "malloc");
    void (*give)(void *) = (void (*)(void *))dlsym(RTLD_DEFAULT, "free");
    give(get(100));
    return said(dlopen("no-such-library.so", RTLD_NOW) ? "found" : "loaded");
}

static int other_folder(void)
{
    work(100);
    umask(0777);
    if (chdir("/") != 0)
        return 1;
    if (fork() == 0) {
        work(2000);
        exit(0);
    }
    printf("%d\n", well_ended());
    return 0;
}

static int other_user(void)
{
    work(100);
    if (getuid() == 0 && (setresgid(65534, 65534, 65534) != 0 || setresuid(65534, 65534, 65534) != 0))
        return 1;
    if (fork() == 0) {
        work(2000);
        exit(0);
    }
    work(2000);
    printf("%d\n", well_ended());
    return 0;
}

static int own_break(void)
{
    char *before = sbrk(0);
    work(1000);
    char *own = sbrk(1 << 20);
    memset(own, 7, 1 << 20);
    work(20000);
    for (int i = 0; i < 1 << 20; i++)
        if (own[i] != 7)
            return said("lost");
    return said(own >= before ? "kept" : "below");
}

static int tuned(void)
{
    mallopt(M_MMAP_THRESHOLD, 1 << 20);
    mallopt(M_ARENA_MAX, 1);
    work(1000);
    malloc_trim(0);
    void *block = malloc(77);
    printf("%d\n", malloc_usable_size(block) >= 77);
    free(block);
    return 0;
}

static int library_calls(void)
{
    char *text = NULL, *line = NULL;
    size_t room = 0;
    int names = 0;
    if (asprintf(&text, "%0500d", 7) < 0)
        return 1;
    FILE *memory = fmemopen(text, strlen(text), "r");
    printf("%zd\n", getline(&line, &room, memory));
    fclose(memory);
    free(text);
    free(line);
    DIR *folder = opendir("/proc/self/fd");
    while (readdir(folder))
        names++;
    closedir(folder);
    free(realpath("/usr/../bin/sh", NULL));
    return said(names > 3 ? "names" : "no names");
}

static int little(void)
{
    return said("little");
}

/* For `kills/record`: sizes from 1000 on, one after another, until it is killed. */
static _Noreturn void counts(void)
{
    for (size_t i = 0;; i++) {
        free(malloc(1000 + i % 5000));
        if (i % 100 == 0)
            usleep(1000);
    }
}

#define PROGRAM(name) {#name, name}
static const struct {
    const char *name;
    int (*run)(void);
} programs[] = {
    PROGRAM(plain), PROGRAM(zeroed), PROGRAM(aligned), PROGRAM(edges), PROGRAM(grows), PROGRAM(large), PROGRAM(many),
    PROGRAM(fork_storm), PROGRAM(fork_among_threads), PROGRAM(fork_chain), PROGRAM(vforks), PROGRAM(spawns),
    PROGRAM(becomes_another), PROGRAM(empty_environment), PROGRAM(cleared_environment), PROGRAM(shells),
    PROGRAM(daemon_child), PROGRAM(thread_churn), PROGRAM(freed_by_others), PROGRAM(ends_among_threads),
    PROGRAM(main_thread_ends), PROGRAM(thread_destructors), PROGRAM(cancels), PROGRAM(exit_handlers),
    PROGRAM(leaves_at_once), PROGRAM(quick_end), PROGRAM(interrupted), PROGRAM(jumps_out), PROGRAM(faults),
    PROGRAM(aborts), PROGRAM(kills_itself), PROGRAM(ends_by_signal), PROGRAM(blocked_signals), PROGRAM(limited_memory),
    PROGRAM(limited_files), PROGRAM(limited_files_by_default), PROGRAM(limited_descriptors), PROGRAM(limited_stack),
    PROGRAM(strict_seccomp), PROGRAM(filtered), PROGRAM(walled), PROGRAM(closed_descriptors), PROGRAM(first_descriptor),
    PROGRAM(closed_streams), PROGRAM(reused_descriptors), PROGRAM(loads_libraries), PROGRAM(other_folder),
    PROGRAM(other_user), PROGRAM(own_break), PROGRAM(tuned), PROGRAM(library_calls), PROGRAM(little),
};

int main(int count, char **arguments)
{
    self = arguments[0];
    if (count == 2 && strcmp(arguments[1], "counts") == 0)
        counts();
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        if (count < 2)
            puts(programs[i].name);
        else if (strcmp(arguments[1], programs[i].name) == 0)
            return programs[i].run();
    }
    return count < 2 ? 0 : 2;
}
