/* Start of a Cortex-M3 and semihosting (Arm, Semihosting for AArch32 and AArch64). */
#include "board.h"

#include <stddef.h>
#include <stdint.h>

extern uint32_t initial_stack[], data_begin[], data_end[], data_image[], bss_begin[], bss_end[];
int main(void);
void supervisor_call(void);
void pending_switch(void);
void tick(void);

static void reset(void);
static void fault(void);

/* What the processor reads first: its stack, and the addresses of its handlers. */
__attribute__((section(".vectors"), used)) static const void *const vectors[16] = {
    [0] = initial_stack,
    [1] = (const void *)reset,
    [2] = (const void *)fault,
    [3] = (const void *)fault,
    [4] = (const void *)fault,
    [5] = (const void *)fault,
    [6] = (const void *)fault,
    [11] = (const void *)supervisor_call,
    [14] = (const void *)pending_switch,
    [15] = (const void *)tick,
};

static void reset(void)
{
    const uint32_t *from = data_image;

    for (uint32_t *to = data_begin; to < data_end; to++) {
        *to = *from++;
    }
    for (uint32_t *to = bss_begin; to < bss_end; to++) {
        *to = 0U;
    }
    stop(main() == 0);
}

static void fault(void)
{
    print("fault\n");
    stop(false);
}

void halt(const char *file, int line)
{
    print("assertion at ");
    print(file);
    print_number(" line ", (uint32_t)line);
    stop(false);
}

enum { WRITE0 = 0x04, EXIT_EXTENDED = 0x20 };

static int host(int operation, const void *arguments)
{
    register int number __asm__("r0") = operation;
    register const void *block __asm__("r1") = arguments;

    __asm__ volatile("bkpt 0xAB" : "+r"(number) : "r"(block) : "memory");
    return number;
}

void print(const char *text)
{
    (void)host(WRITE0, text);
}

void print_number(const char *name, uint32_t number)
{
    char text[12];
    char *at = &text[11];

    *at = '\0';
    *--at = '\n';
    do {
        *--at = (char)('0' + (number % 10U));
        number /= 10U;
    } while (number > 0U);
    print(name);
    print(at);
}

_Noreturn void stop(bool succeeded)
{
    const uintptr_t reason[2] = { 0x20026U, succeeded ? 0U : 1U };

    (void)host(EXIT_EXTENDED, reason);
    for (;;) {
    }
}
