/* How the heap asks the ideal unit (core/ideal_unit.sv), in place of how it asks the page unit. */
static inline Index ideal_word(Index page, Index number)
{
    Index word;

    __asm__ volatile(".insn r 0x0b, 0, 3, %0, %1, %2" : "=r"(word) : "r"(page), "r"(number));
    return word;
}

static inline void ideal_fill(Index page, Index objects)
{
    __asm__ volatile(".insn r 0x0b, 0, 2, x0, %0, %1" : : "r"(page), "r"(objects));
}

static inline Index take_object(Heap *heap, Index page, Index size_class)
{
    Index object;

    (void)heap;
    (void)size_class;
    __asm__ volatile(".insn r 0x0b, 0, 0, %0, %1, x0" : "=r"(object) : "r"(page));
    return object;
}

static inline void put_object(Heap *heap, Index page, Index size_class, Index object)
{
    (void)heap;
    (void)size_class;
    __asm__ volatile(".insn r 0x0b, 0, 1, x0, %0, %1" : : "r"(page), "r"(object));
}

static inline void forget_map(Heap *heap, Index page, Index size_class)
{
    (void)heap;
    (void)page;
    (void)size_class;
}

static inline bool object_is_free(const Heap *heap, Index page, Index size_class, Index object)
{
    (void)heap;
    (void)size_class;
    return ((ideal_word(page, object / BITS) >> (object % BITS)) & 1U) != 0U;
}
