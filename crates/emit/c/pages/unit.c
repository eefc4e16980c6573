/* ---- The unit in hardware ------------------------------------------------------------------------
 *
 * A unit for pages of PAGE bytes and objects from MIN_OBJECT holds the bitmap of one page of each class. The control word HELD of
 * the class names the page, 0 for none; while it does, the unit alone has the bits and the words in the region are older.
{%- if pool.unit.way == "custom0" %}
 * It is reached by instructions of RISC-V in the space custom-0, R-type: funct7 0 allocates, 1 frees, 2 loads, 3 stores.
{%- elif pool.unit.way == "mmio" %}
 * It is reached by its registers at {{ pool.unit.address }}, which have to be uncached and kept in order.
{%- endif %}
{%- if pool.unit.way != "emulated" %}
 * One unit serves one heap: reset it, or let no other heap use it. Where PAGE_UNIT_EMULATED is defined no unit is asked, and the heap gives
 * the same addresses on any machine.
{%- else %}
 * No way to reach it was chosen: what it would hold and find is computed. `search=hardware(custom0)` asks a unit.
{%- endif %}
 */
#define HELD (CLASS_LISTS + CLASSES)

/* Words of a bitmap of a class. */
static inline Index unit_words(Index size_class)
{
    return ((((Index)PAGE / MIN_OBJECT) >> size_class) + (BITS - 1U)) / BITS;
}

{%- if pool.unit.way != "emulated" %}

#if defined(PAGE_UNIT_EMULATED)
{%- endif %}

/* Takes the lowest free object of the page that is held for a class; there is one. */
static Index unit_allocate(Heap *heap, Index map, Index size_class)
{
    Index at = map;
    Index word = load(heap, at);
    Index bit = 0U;

    (void)size_class;
    while (word == 0U) {
        at++;
        word = load(heap, at);
    }
    while (((word >> bit) & 1U) == 0U) {
        bit++;
    }
    store(heap, at, word & ~((Index)1U << bit));
    return ((at - map) * BITS) + bit;
}

/* Makes an object of the page that is held for a class free. */
static void unit_free(Heap *heap, Index map, Index size_class, Index object)
{
    const Index at = map + (object / BITS);

    (void)size_class;
    store(heap, at, load(heap, at) | ((Index)1U << (object % BITS)));
}

/* Writes a word of the bitmap that is held for a class. */
static inline void unit_load(Index size_class, Index number, Index word)
{
    (void)size_class;
    (void)number;
    (void)word;
}

/* Reads a word of the bitmap that is held for a class. */
static inline Index unit_store(const Heap *heap, Index map, Index size_class, Index number)
{
    (void)size_class;
    return load(heap, map + number);
}
{%- if pool.unit.way == "custom0" %}

#elif !defined(__riscv)
#error "search=hardware(custom0) is for RISC-V: define PAGE_UNIT_EMULATED to do without a unit"
#else

static inline Index unit_allocate(Heap *heap, Index map, Index size_class)
{
    Index object;

    (void)heap;
    (void)map;
    __asm__ volatile(".insn r 0x0b, 0, 0, %0, %1, x0" : "=r"(object) : "r"(size_class));
    return object;
}

static inline void unit_free(Heap *heap, Index map, Index size_class, Index object)
{
    (void)heap;
    (void)map;
    __asm__ volatile(".insn r 0x0b, 0, 1, x0, %0, %1" : : "r"(size_class), "r"(object));
}

static inline void unit_load(Index size_class, Index number, Index word)
{
    __asm__ volatile(".insn r 0x0b, 0, 2, x0, %0, %1" : : "r"(size_class | (number << 8U)), "r"(word));
}

static inline Index unit_store(const Heap *heap, Index map, Index size_class, Index number)
{
    Index word;

    (void)heap;
    (void)map;
    __asm__ volatile(".insn r 0x0b, 0, 3, %0, %1, x0" : "=r"(word) : "r"(size_class | (number << 8U)));
    return word;
}
#endif
{%- elif pool.unit.way == "mmio" %}

#else

/* The register at this offset. */
static inline volatile uint32_t *unit_register(uint32_t offset)
{
    return (volatile uint32_t *)((uintptr_t){{ pool.unit.address }}U + offset);
}

static inline Index unit_allocate(Heap *heap, Index map, Index size_class)
{
    (void)heap;
    (void)map;
    return *unit_register(0x100U + (4U * size_class));
}

static inline void unit_free(Heap *heap, Index map, Index size_class, Index object)
{
    (void)heap;
    (void)map;
    *unit_register(0x200U + (4U * size_class)) = object;
}

static inline void unit_load(Index size_class, Index number, Index word)
{
    *unit_register(0x1000U + (0x100U * size_class) + (4U * number)) = word;
}

static inline Index unit_store(const Heap *heap, Index map, Index size_class, Index number)
{
    (void)heap;
    (void)map;
    return *unit_register(0x1000U + (0x100U * size_class) + (4U * number));
}
#endif
{%- endif %}

/* Makes the unit hold the bitmap of another page of a class; that of the page before goes back to the region. */
static void exchange(Heap *heap, Index page, Index size_class)
{
    const Index words = unit_words(size_class);
    const Index held = load(heap, HELD + size_class);
    const Index map = entry_of(heap, page) + BITMAP;

    if (held != 0U) {
        const Index old = entry_of(heap, held) + BITMAP;

        for (Index number = 0U; number < words; number++) {
            store(heap, old + number, unit_store(heap, old, size_class, number));
        }
    }
    for (Index number = 0U; number < words; number++) {
        unit_load(size_class, number, load(heap, map + number));
    }
    store(heap, HELD + size_class, page);
}

/* Takes the lowest free object of a page; there is one. */
static inline Index take_object(Heap *heap, Index page, Index size_class)
{
    if (load(heap, HELD + size_class) != page) {
        exchange(heap, page, size_class);
    }
    return unit_allocate(heap, entry_of(heap, page) + BITMAP, size_class);
}

/* Makes an object of a page free. */
static inline void put_object(Heap *heap, Index page, Index size_class, Index object)
{
    const Index map = entry_of(heap, page) + BITMAP;

    if (load(heap, HELD + size_class) == page) {
        unit_free(heap, map, size_class, object);
    } else {
        const Index at = map + (object / BITS);

        store(heap, at, load(heap, at) | ((Index)1U << (object % BITS)));
    }
}

/* All objects of a page are free, and it becomes a page of no class. */
static inline void forget_map(Heap *heap, Index page, Index size_class)
{
    if (load(heap, HELD + size_class) == page) {
        store(heap, HELD + size_class, 0U);
    }
}

/* Whether an object is free, wherever its bit is. */
static inline bool object_is_free(const Heap *heap, Index page, Index size_class, Index object)
{
    const Index map = entry_of(heap, page) + BITMAP;

    if (load(heap, HELD + size_class) == page) {
        return ((unit_store(heap, map, size_class, object / BITS) >> (object % BITS)) & 1U) != 0U;
    }
    return bit_is_set(heap, map, object);
}
