
/* What the program notes for `heapsmith run`, in a page that the command reads once the program has ended: that it had the
 * library, whether another malloc serves it, and that it ended in order. The words are those of heapsmith's crate `capture`.
 */
enum { WORD_LOADED = 1, WORD_ENDED, WORD_OTHER_MALLOC, WORD_REFUSED, WORD_NAME, WORD_OTHERS = 7, WORDS_BYTES = 4096 };

static _Atomic uint64_t *witness;
/* The process that was started, to which the notes belong: not a child of fork. */
static pid_t noting;

/* A system call, past the functions of the C library. */
static long call(long number, unsigned long a, unsigned long b, unsigned long c, unsigned long d, unsigned long e,
                 unsigned long f)
{
    register unsigned long r10 __asm__("r10") = d;
    register unsigned long r8 __asm__("r8") = e;
    register unsigned long r9 __asm__("r9") = f;
    long answer;

    __asm__ volatile("syscall"
                     : "=a"(answer)
                     : "0"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return answer;
}

/* Whether the malloc that the program meets is in another file. A program that is not position-independent may have a stub for
 * malloc, by which all its files know the function: its symbol has an address and no definition.
 */
static bool has_other_malloc(void)
{
    void *const met = dlsym(RTLD_DEFAULT, "malloc");
    ElfW(Sym) *symbol = NULL;
    Dl_info there;
    Dl_info here;

    if ((met == NULL) || (dladdr(&witness, &here) == 0) || (dladdr(met, &there) == 0)) {
        return true;
    }
    if (there.dli_fbase == here.dli_fbase) {
        return false;
    }
    return !((dladdr1(met, &there, (void **)&symbol, RTLD_DL_SYMENT) != 0) && (symbol != NULL) &&
             (symbol->st_shndx == SHN_UNDEF));
}

static void note(size_t word, uint64_t value)
{
    atomic_store_explicit(&witness[word], value, memory_order_release);
}

static void note_begin(void)
{
    const char *const path = getenv("HEAPSMITH_WITNESS");
    const char *const command = getenv("HEAPSMITH_STARTED_BY");
    const int kept = errno;
    const int file = (path == NULL) ? -1 : open(path, O_RDWR | O_CLOEXEC);
    uint64_t magic = 0U;
    void *page = MAP_FAILED;

    if (file >= 0) {
        if ((read(file, &magic, sizeof magic) == (ssize_t)sizeof magic) && (memcmp(&magic, "HSWITNES", sizeof magic) == 0)) {
            page = mmap(NULL, WORDS_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        }
        (void)close(file);
    }
    if (page != MAP_FAILED) {
        witness = page;
        if ((command != NULL) && (strtol(command, NULL, 10) == (long)getppid())) {
            char name[16] = {0};
            uint64_t words[2];

            (void)call(SYS_prctl, PR_GET_NAME, (unsigned long)name, 0U, 0U, 0U, 0U);
            memcpy(words, name, sizeof words);
            noting = getpid();
            note(WORD_NAME, words[0]);
            note(WORD_NAME + 1, words[1]);
            note(WORD_ENDED, 0U);
            note(WORD_REFUSED, 0U);
            note(WORD_OTHER_MALLOC, has_other_malloc() ? 1U : 0U);
            (void)atomic_fetch_add(&witness[WORD_LOADED], 1U);
        } else {
            (void)atomic_fetch_add(&witness[WORD_OTHERS], 1U);
        }
    }
    errno = kept;
}

/* Where the program forbade itself system calls, who calls is not asked; a child of fork has forgotten. */
static void note_end(void)
{
    if ((noting != 0) && (!may_call() || (noting == getpid()))) {
        note(WORD_ENDED, 1U);
    }
}

static void forget(void)
{
    noting = 0;
}

__attribute__((constructor)) static void begin(void)
{
    take_lock();
    (void)is_ready();
    give_lock();
    note_begin();
    (void)pthread_atfork(NULL, NULL, forget);
}

__attribute__((destructor)) static void end(void)
{
    note_end();
}

/* These call no destructors: shells end so. */
EXPORTED void _exit(int code)
{
    note_end();
    for (;;) {
        (void)call(SYS_exit_group, (unsigned long)code, 0U, 0U, 0U, 0U, 0U);
    }
}

EXPORTED void _Exit(int code)
{
    _exit(code);
}

static long told(long answer)
{
    if ((answer < 0) && (answer >= -4095)) {
        errno = (int)-answer;
        return -1;
    }
    return answer;
}

/* The two ways to forbid oneself system calls. A heap's region needs none; nothing else is mapped or unmapped from then on. */
EXPORTED int prctl(int option, ...)
{
    unsigned long more[4];
    va_list arguments;

    va_start(arguments, option);
    for (size_t at = 0U; at < 4U; at++) {
        more[at] = va_arg(arguments, unsigned long);
    }
    va_end(arguments);
    if (option == PR_SET_SECCOMP) {
        atomic_store(&is_restricted, true);
    }
    return (int)told(call(SYS_prctl, (unsigned long)option, more[0], more[1], more[2], more[3], 0U));
}

EXPORTED long syscall(long number, ...)
{
    unsigned long more[6];
    va_list arguments;

    va_start(arguments, number);
    for (size_t at = 0U; at < 6U; at++) {
        more[at] = va_arg(arguments, unsigned long);
    }
    va_end(arguments);
    if (number == SYS_seccomp) {
        atomic_store(&is_restricted, true);
    }
    return told(call(number, more[0], more[1], more[2], more[3], more[4], more[5]));
}
