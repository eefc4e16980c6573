/* Start of a Cortex-M3, its SysTick timer, and semihosting (Arm, Semihosting for AArch32 and AArch64). */
#include "board.h"

extern uint32_t initial_stack[], data_begin[], data_end[], data_image[], bss_begin[], bss_end[];
int main(void);

static void reset(void);
static void fault(void);

/* What the processor reads first: its stack and the addresses of its handlers. */
__attribute__((section(".vectors"), used)) static const void *const vectors[] = {
    initial_stack, (const void *)reset, (const void *)fault, (const void *)fault,
    (const void *)fault, (const void *)fault, (const void *)fault,
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

/* ---- Semihosting ---- */

enum { OPEN = 0x01, WRITE0 = 0x04, READ = 0x06, EXIT_EXTENDED = 0x20 };

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

void print_number(uint32_t number)
{
    char text[11];
    char *at = &text[10];

    *at = '\0';
    do {
        *--at = (char)('0' + (number % 10U));
        number /= 10U;
    } while (number > 0U);
    print(at);
}

void print_hash(uint64_t hash)
{
    char text[17];

    for (int digit = 0; digit < 16; digit++) {
        text[digit] = "0123456789abcdef"[(hash >> (60 - (4 * digit))) & 0xFU];
    }
    text[16] = '\0';
    print(text);
}

size_t read_file(const char *name, char *bytes, size_t max)
{
    size_t length = 0U;

    while (name[length] != '\0') {
        length++;
    }
    const uintptr_t open[3] = { (uintptr_t)name, 0U, length };
    const int file = host(OPEN, open);

    if (file < 0) {
        return 0U;
    }
    const uintptr_t read[3] = { (uintptr_t)file, (uintptr_t)bytes, max };

    return max - (size_t)host(READ, read);
}

_Noreturn void stop(bool succeeded)
{
    const uintptr_t reason[2] = { 0x20026U, succeeded ? 0U : 1U };

    (void)host(EXIT_EXTENDED, reason);
    for (;;) {
    }
}

/* ---- SysTick ---- */

#define SYSTICK ((volatile uint32_t *)0xE000E010U)
#define MAX_TICKS 0xFFFFFFU

void start_clock(void)
{
    SYSTICK[1] = MAX_TICKS;
    SYSTICK[2] = 0U;
    SYSTICK[0] = 5U; /* on, by the processor's clock */
}

uint32_t ticks(void)
{
    return MAX_TICKS - SYSTICK[2];
}
