/* What a Cortex-M3 reads first; newlib's start for a debugger does the rest (rdimon). */
extern unsigned int initial_stack[];
void _start(void);

static void fault(void)
{
    for (;;) {
    }
}

__attribute__((section(".vectors"), used)) static const void *const vectors[] = {
    initial_stack, (const void *)_start, (const void *)fault, (const void *)fault,
    (const void *)fault, (const void *)fault, (const void *)fault,
};
