/* How Lea's bins ask the unit for bins (rtl/bin_unit.sv), in place of a bitmap in memory. */
static inline void mark(Heap *heap, Index bin, bool full)
{
    (void)heap;
    if (full) {
        __asm__ volatile(".insn r 0x0b, 0, 1, x0, %0, x0" : : "r"(bin));
    } else {
        __asm__ volatile(".insn r 0x0b, 0, 2, x0, %0, x0" : : "r"(bin));
    }
}

static inline Index next_full(const Heap *heap, Index bin)
{
    Index full;

    (void)heap;
    __asm__ volatile(".insn r 0x0b, 0, 0, %0, %1, x0" : "=r"(full) : "r"(bin));
    return full;
}
