/* The first words that a Cortex-M0 reads, and what it does before `main`. */
extern unsigned int stack_top, bss_start, bss_end;
int main(void);

static void reset(void)
{
    for (volatile unsigned int *word = &bss_start; word < &bss_end; word++) {
        *word = 0U;
    }
    (void)main();
}

/* A fault ends the emulator: the player says nothing then. */
static void fault(void)
{
    register unsigned int r0 __asm__("r0") = 0x18U;
    register unsigned int r1 __asm__("r1") = 0x20023U;

    __asm__ volatile("bkpt 0xAB" : : "r"(r0), "r"(r1) : "memory");
    for (;;) {
    }
}

__attribute__((section(".vectors"), used)) static void *const vectors[] = { &stack_top, reset, fault, fault };
