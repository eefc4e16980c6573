
/* ---- The pool: blocks without headers, and a table outside of where they begin -----------------
 *
 *   | TOP HIGH LIST | payload | next n | payload | wilderness | ... 2 1 0 |
 *              '--------------> free              ^ TOP         a byte for eight units
 *
 * A block is a number of units. A bit of each unit says whether a block begins there: a block ends where the next begins.
 * The table begins at the end of the region and grows down. Free blocks are in a list by address, with their units.
 *
 * M2  TOP lies a whole number of units behind the first, and below the table.
 * M3  The first unit begins a block; the byte with the bit of the last unit has none for units above.
 * M4  The list names blocks, by address, each with its units.
 * M5  No two free blocks touch, and none touches the wilderness.
 * M6  HIGH is the most that blocks and table ever took.
 *
 * Wilson, Johnstone, Neely and Boles 1995, section 3.9 (bitmapped fits); Knuth 1968, section 2.5.
 */

#define LIST INDEX
/* Words of a unit; units of the smallest block. */
#define UNIT {{ pool.granule }}U
#define MIN_UNITS {{ pool.min_units }}U
/* Words of a free block. */
#define NEXT 0U
#define UNITS 1U
/* Units whose bits are in a byte. */
#define IN_BYTE 8U

/* The byte with the bit of a unit. */
static inline unsigned char *byte_of(const Heap *heap, Index unit)
{
    /* cppcheck-suppress misra-c2012-11.8 ; the words are not constant, only the heap that names them is */
    return &((unsigned char *)heap->words)[(((size_t)heap->length * WORD) - 1U) - ((size_t)unit / IN_BYTE)];
}

static inline Index bits_of(const Heap *heap, Index unit)
{
{%- if shared %}
    return __atomic_load_n(byte_of(heap, unit), __ATOMIC_RELAXED);
{%- else %}
    return *byte_of(heap, unit);
{%- endif %}
}

static inline void set_bits(Heap *heap, Index unit, Index bits)
{
{%- if shared %}
    __atomic_store_n(byte_of(heap, unit), (unsigned char)bits, __ATOMIC_RELAXED);
{%- else %}
    *byte_of(heap, unit) = (unsigned char)bits;
{%- endif %}
}

static inline bool begins(const Heap *heap, Index unit)
{
    return ((bits_of(heap, unit) >> (unit % IN_BYTE)) & 1U) != 0U;
}

/* The first word of a unit, and the unit of a word. */
static inline Index word_of_unit({% if pool.granule > 1 %}const Heap *heap, {% endif %}Index unit)
{
    return {{ first }} + (unit * UNIT);
}

static inline Index unit_of_word({% if pool.granule > 1 %}const Heap *heap, {% endif %}Index word)
{
    return (word - {{ first }}) / UNIT;
}
{%- set heap = "heap, " if pool.granule > 1 else "" %}

/* Units below the wilderness. */
static inline Index units_of(const Heap *heap)
{
    return unit_of_word({{ heap }}load(heap, TOP));
}

/* Words that this many units take, with their bits. */
static inline Index words_with({% if pool.granule > 1 %}const Heap *heap, {% endif %}Index units)
{
    const Index bytes = (units + (IN_BYTE - 1U)) / IN_BYTE;

    return word_of_unit({{ heap }}units) + ((bytes + (WORD - 1U)) / WORD);
}

static void set_top(Heap *heap, Index units)
{
    store(heap, TOP, word_of_unit({{ heap }}units));
    if (words_with({{ heap }}units) > load(heap, HIGH)) {
        store(heap, HIGH, words_with({{ heap }}units));
    }
}

/* Says of a unit below TOP whether a block begins there. */
static void mark(Heap *heap, Index unit, bool is_begin)
{
    const Index bit = (Index)1U << (unit % IN_BYTE);
    const Index bits = bits_of(heap, unit);

    set_bits(heap, unit, is_begin ? (bits | bit) : (bits & ~bit));
}

/* The same of the units from `top` on, which become one block: they had no bits. */
static void mark_new(Heap *heap, Index top, Index end)
{
    const Index whole = ((top + (IN_BYTE - 1U)) / IN_BYTE) * IN_BYTE;

    if (whole > top) {
        mark(heap, top, true);
    }
    for (Index unit = whole; unit < end; unit += IN_BYTE) {
        set_bits(heap, unit, (unit == top) ? 1U : 0U);
    }
}

/* The unit behind the block at `unit`. */
static Index end_of(const Heap *heap, Index unit)
{
    const Index top = units_of(heap);
    Index end = unit + 1U;

    while ((end < top) && !begins(heap, end)) {
        end += ((bits_of(heap, end) >> (end % IN_BYTE)) == 0U) ? (IN_BYTE - (end % IN_BYTE)) : 1U;
    }
    return (end < top) ? end : top;
}

/* Units before the first from `unit` on whose address is a multiple of `step` units: none, or as many as a block has. */
static Index gap_before(const Heap *heap, Index unit, Index step)
{
    const Index before = (Index)(((address_of(heap->words) / WORD) + {{ first }}) / UNIT) + unit;
{%- if pool.min_units > 1 %}
    Index gap = (step - (before & (step - 1U))) & (step - 1U);

    if ((gap > 0U) && (gap < MIN_UNITS)) {
        gap += ((MIN_UNITS - gap) + (step - 1U)) & ~(step - 1U);
    }
    return gap;
{%- else %}

    return (step - (before & (step - 1U))) & (step - 1U);
{%- endif %}
}

/* Writes a free block, which `link` names from now on, before the one of the word `next`. */
static void write_free(Heap *heap, Index link, Index unit, Index units, Index next)
{
    const Index word = word_of_unit({{ heap }}unit);

    store(heap, link, word);
    store(heap, word + NEXT, next);
    store(heap, word + UNITS, units);
}

/* Makes a used block of `need` units of the free one that `link` names, `gap` units behind its begin. */
static void cut(Heap *heap, Index link, Index gap, Index need)
{
    const Index word = load(heap, link);
    const Index next = load(heap, word + NEXT);
    const Index unit = unit_of_word({{ heap }}word);
    const Index left = (load(heap, word + UNITS) - gap) - need;
    Index its = link;

    if (gap > 0U) {
        write_free(heap, link, unit, gap, next);
        mark(heap, unit + gap, true);
        its = word + NEXT;
    }
    if (left < MIN_UNITS) {
        store(heap, its, next);
    } else {
        mark(heap, unit + gap + need, true);
        write_free(heap, its, unit + gap + need, left, next);
    }
}

static bool pool_init(Heap *heap)
{
{%- if pool.granule > 1 %}
    const Index base = (Index)((address_of(heap->words) / WORD) & (UNIT - 1U));

    heap->first = ((base + CONTROL + (UNIT - 1U)) & ~((Index)UNIT - 1U)) - base;
{%- endif %}
    if (words_with({{ heap }}MIN_UNITS) > heap->length) {
        return false;
    }
    store(heap, HIGH, 0U);
    store(heap, LIST, 0U);
    set_top(heap, 0U);
    return true;
}

/* Units of a block for `size` bytes; 0 if no block can be so large. */
static Index units_for(size_t size)
{
    if ((size == 0U) || is_too_large(size)) {
        return 0U;
    }
{%- if pool.min_units > 1 %}
    if (size <= ((size_t)MIN_UNITS * UNIT * WORD)) {
        return MIN_UNITS;
    }
{%- endif %}
    return (Index)((size - 1U) / ((size_t)UNIT * WORD)) + 1U;
}

static Index pool_allocate(Heap *heap, size_t size, size_t alignment)
{
    const Index need = units_for(size);
    Index link = LIST;
    Index step = 1U;
    Index word = load(heap, LIST);
    Index unit;
    Index gap;

    if (need == 0U) {
        return 0U;
    }
    if ((alignment > ALIGNMENT) || ((alignment & (alignment - 1U)) != 0U)) {
        if (((alignment & (alignment - 1U)) != 0U) || is_too_coarse(alignment)) {
            return 0U;
        }
        step = (Index)(alignment / ((size_t)UNIT * WORD));
    }
    while (word != 0U) {
        unit = unit_of_word({{ heap }}word);
        gap = gap_before(heap, unit, step);
        if (load(heap, word + UNITS) >= (gap + need)) {
            cut(heap, link, gap, need);
            return word_of_unit({{ heap }}unit + gap);
        }
        link = word + NEXT;
        word = load(heap, link);
    }
    unit = units_of(heap);
    gap = gap_before(heap, unit, step);
    if (words_with({{ heap }}unit + gap + need) > heap->length) {
        return 0U;
    }
    if (gap > 0U) {
        mark_new(heap, unit, unit + gap);
        write_free(heap, link, unit, gap, 0U);
    }
    mark_new(heap, unit + gap, unit + gap + need);
    set_top(heap, unit + gap + need);
    return word_of_unit({{ heap }}unit + gap);
}

/* Frees a block, or the upper part of one, which begins at its first unit, and joins it to its neighbours. */
static void release(Heap *heap, Index unit, Index end)
{
    Index link = LIST;
    Index before = 0U; /* what names the last free block below, if `found` names one */
    Index word = load(heap, LIST);
    Index begin = unit;
    Index units = end - unit;
    bool is_first = true;

    while ((word != 0U) && (unit_of_word({{ heap }}word) < unit)) {
        before = link;
        is_first = false;
        link = word + NEXT;
        word = load(heap, link);
    }
    if (!is_first) {
        const Index below = load(heap, before);

        if ((unit_of_word({{ heap }}below) + load(heap, below + UNITS)) == unit) {
            mark(heap, unit, false);
            begin = unit_of_word({{ heap }}below);
            units = end - begin;
            link = before;
        }
    }
    if (end == units_of(heap)) {
        mark(heap, begin, false);
        store(heap, link, 0U);
        set_top(heap, begin);
        return;
    }
    if ((word != 0U) && (unit_of_word({{ heap }}word) == end)) {
        units += load(heap, word + UNITS);
        mark(heap, end, false);
        word = load(heap, word + NEXT);
    }
    write_free(heap, link, begin, units, word);
}

static void pool_free(Heap *heap, Index block)
{
    const Index unit = unit_of_word({{ heap }}block);

    release(heap, unit, end_of(heap, unit));
}

/* Resizes the block to `size` bytes in place, if what is behind it is free. */
static bool pool_resize(Heap *heap, Index block, size_t size)
{
    const Index unit = unit_of_word({{ heap }}block);
    const Index end = end_of(heap, unit);
    const Index need = units_for(size);
    Index link = LIST;
    Index word = load(heap, LIST);

    if (need == 0U) {
        return false;
    }
    if (need <= (end - unit)) {
        if (((end - unit) - need) >= MIN_UNITS) {
            mark(heap, unit + need, true);
            release(heap, unit + need, end);
        }
        return true;
    }
    if (end == units_of(heap)) {
        if (words_with({{ heap }}unit + need) > heap->length) {
            return false;
        }
        mark_new(heap, end, unit + need);
        mark(heap, end, false); /* the new units begin no block */
        set_top(heap, unit + need);
        return true;
    }
    while ((word != 0U) && (unit_of_word({{ heap }}word) < end)) {
        link = word + NEXT;
        word = load(heap, link);
    }
    if ((word == 0U) || (unit_of_word({{ heap }}word) != end) || (((end - unit) + load(heap, word + UNITS)) < need)) {
        return false;
    }
    cut(heap, link, 0U, need - (end - unit));
    mark(heap, end, false);
    return true;
}

/* Bytes that the owner of the block may use. */
static size_t pool_usable(const Heap *heap, Index block)
{
    const Index unit = unit_of_word({{ heap }}block);

    return ((size_t)end_of(heap, unit) - unit) * UNIT * WORD;
}

/* The number of the first invariant that is broken, or 0. */
static unsigned int pool_check(const Heap *heap)
{
    const Index top = load(heap, TOP);
    Index before = 0U;
    Index units;

    if ((top < {{ first }}) || (top > heap->length){% if pool.granule > 1 %} || (((top - {{ first }}) % UNIT) != 0U){% endif %}) {
        return 2U;
    }
    units = units_of(heap);
    if (words_with({{ heap }}units) > heap->length) {
        return 2U;
    }
    if ((units > 0U) && !begins(heap, 0U)) {
        return 3U;
    }
    for (Index unit = units; (unit % IN_BYTE) != 0U; unit++) {
        if (begins(heap, unit)) {
            return 3U;
        }
    }
    for (Index word = load(heap, LIST); word != 0U; word = load(heap, word + NEXT)) {
        Index unit;
        Index end;

        if ((word < {{ first }}) || (word >= top){% if pool.granule > 1 %} || (((word - {{ first }}) % UNIT) != 0U){% endif %}) {
            return 4U;
        }
        unit = unit_of_word({{ heap }}word);
        if (!begins(heap, unit) || (unit < before)) {
            return 4U;
        }
        end = end_of(heap, unit);
        if ((end - unit) != load(heap, word + UNITS)) {
            return 4U;
        }
        if (((before != 0U) && (unit == before)) || (end == units)) {
            return 5U;
        }
        before = end;
    }
    return (words_with({{ heap }}units) > load(heap, HIGH)) ? 6U : 0U;
}

/* {% if "counters" in extras %}Says how much is in use{% else %}Counts the blocks{% endif %}. */
static void pool_statistics(const Heap *heap, struct {{ n }}_statistics *counts)
{
    const Index top = units_of(heap);
{%- if "counters" not in extras %}
    Index free_block = load(heap, LIST);
    Index end;
{% endif %}
    counts->footprint = (size_t)words_with({{ heap }}top) * WORD;
    counts->footprint_peak = (size_t)load(heap, HIGH) * WORD;
{%- if "counters" not in extras %}
    for (Index unit = 0U; unit < top; unit = end) {
        size_t bytes;

        end = end_of(heap, unit);
        bytes = ((size_t)end - unit) * UNIT * WORD;
        if (free_block == word_of_unit({{ heap }}unit)) {
            free_block = load(heap, free_block + NEXT);
            counts->free_blocks++;
            counts->free_bytes += bytes;
            counts->largest_free = (bytes > counts->largest_free) ? bytes : counts->largest_free;
        } else {
            counts->used_blocks++;
            counts->used_bytes += bytes;
        }
    }
{%- endif %}
}
