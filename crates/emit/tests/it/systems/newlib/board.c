/* Start of a Cortex-M3 for programs with newlib, whose output goes to the host by semihosting. */
#include <stdint.h>
#include <sys/stat.h>

extern uint32_t initial_stack[], data_begin[], data_end[], data_image[], bss_begin[], bss_end[];
int main(void);

enum { WRITE = 0x05, EXIT_EXTENDED = 0x20, STDOUT_AT_OPEN = 0x01 };

static int host(int operation, const void *arguments)
{
    register int number __asm__("r0") = operation;
    register const void *block __asm__("r1") = arguments;

    __asm__ volatile("bkpt 0xAB" : "+r"(number) : "r"(block) : "memory");
    return number;
}

static void stop(int failed)
{
    const uintptr_t reason[2] = { 0x20026U, (uintptr_t)failed };

    (void)host(EXIT_EXTENDED, reason);
    for (;;) {
    }
}

static void reset(void)
{
    const uint32_t *from = data_image;

    for (uint32_t *to = data_begin; to < data_end; to++) {
        *to = *from++;
    }
    for (volatile uint32_t *to = bss_begin; to < bss_end; to++) {
        *to = 0U;
    }
    stop(main());
}

static void fault(void)
{
    stop(2);
}

__attribute__((section(".vectors"), used)) static const void *const vectors[] = {
    initial_stack, (const void *)reset, (const void *)fault, (const void *)fault,
    (const void *)fault, (const void *)fault, (const void *)fault,
};

/* What newlib wants of a system. There is no sbrk: a malloc of its own would not link. */
int _write(int file, const char *text, int length)
{
    static const char console[] = ":tt";
    static int handle = -1;

    (void)file;
    if (handle < 0) {
        const uintptr_t open[3] = { (uintptr_t)console, 4U, 3U };

        handle = host(STDOUT_AT_OPEN, open);
    }
    const uintptr_t write[3] = { (uintptr_t)handle, (uintptr_t)text, (uintptr_t)length };

    return length - host(WRITE, write);
}

_Noreturn void _exit(int code)
{
    stop(code != 0);
    for (;;) {
    }
}

int _kill(int process, int signal)
{
    (void)process;
    (void)signal;
    return -1;
}

int _getpid(void)
{
    return 1;
}

int _close(int file)
{
    (void)file;
    return -1;
}

int _fstat(int file, struct stat *status)
{
    (void)file;
    status->st_mode = S_IFCHR;
    return 0;
}

int _isatty(int file)
{
    (void)file;
    return 1;
}

int _lseek(int file, int offset, int from)
{
    (void)file;
    (void)offset;
    (void)from;
    return 0;
}

int _read(int file, char *text, int length)
{
    (void)file;
    (void)text;
    (void)length;
    return 0;
}
