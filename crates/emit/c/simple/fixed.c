
/* ---- The pool: blocks of one size, without headers --------------------------------------------
 *
 *   | TOP HIGH HEAD | payload | next --. | payload | 0       | wilderness |
 *                         HEAD --> free '------------> free     ^ TOP
 *
 * A free block holds in its first word the index of the next free block.
 *
 * F1  TOP lies a whole number of blocks behind the first.
 * F2  Every block on the list begins where a block begins, below TOP.
 *
 * Diamantstein, Stroud-Taylor and Trostanovsky, section 2.2.3; Kenwright 2012.
 */

#define HEAD INDEX
/* Words of every block. */
#define BLOCK {{ pool.fixed_words }}U
{%- if pool.granule > 1 %}
#define GRANULE {{ pool.granule }}U
{%- endif %}

static void set_top(Heap *heap, Index top)
{
    store(heap, TOP, top);
    if (top > load(heap, HIGH)) {
        store(heap, HIGH, top);
    }
}

static void push(Heap *heap, Index block)
{
    store(heap, block, load(heap, HEAD));
    store(heap, HEAD, block);
}

/* The next block of the wilderness, or 0. */
static Index extend(Heap *heap)
{
    const Index top = load(heap, TOP);

    if ((top + BLOCK) > heap->length) {
        return 0U;
    }
    set_top(heap, top + BLOCK);
    return top;
}

static bool pool_init(Heap *heap)
{
{%- if pool.granule > 1 %}
    const Index base = (Index)((address_of(heap->words) / WORD) & (GRANULE - 1U));

    heap->first = ((base + CONTROL + (GRANULE - 1U)) & ~((Index)GRANULE - 1U)) - base;
{%- endif %}
    if (({{ first }} + BLOCK) > heap->length) {
        return false;
    }
    store(heap, HIGH, 0U);
    store(heap, HEAD, 0U);
    set_top(heap, {{ first }});
    return true;
}

/* A block at a multiple of this many words, more than the heap's own, or 0. */
static Index allocate_aligned(Heap *heap, Index step)
{
    const Index base = (Index)(address_of(heap->words) / WORD);
    const Index top = load(heap, TOP);
    Index link = HEAD;
    Index block = load(heap, HEAD);

    while (block != 0U) {
        if (((base + block) & (step - 1U)) == 0U) {
            store(heap, link, load(heap, block));
            return block;
        }
        link = block;
        block = load(heap, block);
    }
    /* The wilderness is cut up to the first block that has it; the blocks before are free. */
    block = top;
    while (((base + block) & (step - 1U)) != 0U) {
        block += BLOCK;
        if (block > heap->length) {
            return 0U;
        }
    }
    if ((block + BLOCK) > heap->length) {
        return 0U;
    }
    set_top(heap, block);
    for (Index skipped = top; skipped < block; skipped += BLOCK) {
        push(heap, skipped);
    }
    return extend(heap);
}

static Index pool_allocate(Heap *heap, size_t size, size_t alignment)
{
    Index block;

    if ((size == 0U) || (size > ((size_t)BLOCK * WORD))) {
        return 0U;
    }
    if ((alignment > ALIGNMENT) || ((alignment & (alignment - 1U)) != 0U)) {
        if (((alignment & (alignment - 1U)) != 0U) || is_too_coarse(alignment)) {
            return 0U;
        }
        return allocate_aligned(heap, (Index)(alignment / WORD));
    }
    block = load(heap, HEAD);
    if (block == 0U) {
        return extend(heap);
    }
    store(heap, HEAD, load(heap, block));
    return block;
}

static void pool_free(Heap *heap, Index block)
{
    push(heap, block);
}

/* A block holds what a block holds. */
static bool pool_resize(const Heap *heap, Index block, size_t size)
{
    (void)heap;
    (void)block;
    return (size > 0U) && (size <= ((size_t)BLOCK * WORD));
}

/* Bytes that the owner of the block may use. */
static size_t pool_usable(const Heap *heap, Index block)
{
    (void)heap;
    (void)block;
    return (size_t)BLOCK * WORD;
}

/* The number of the first invariant that is broken, or 0. */
static unsigned int pool_check(const Heap *heap)
{
    const Index top = load(heap, TOP);
    Index left;

    if ((top < {{ first }}) || (((top - {{ first }}) % BLOCK) != 0U) || (top > heap->length) || (top > load(heap, HIGH))) {
        return 1U;
    }
    left = (top - {{ first }}) / BLOCK;
    for (Index block = load(heap, HEAD); block != 0U; block = load(heap, block)) {
        if ((left == 0U) || (block < {{ first }}) || (block >= top) || (((block - {{ first }}) % BLOCK) != 0U)) {
            return 2U;
        }
        left--;
    }
    return 0U;
}

{%- if "counters" in extras %}
/* Says how much is in use. */
static void pool_statistics(const Heap *heap, struct {{ n }}_statistics *counts)
{
    counts->footprint = (size_t)load(heap, TOP) * WORD;
    counts->footprint_peak = (size_t)load(heap, HIGH) * WORD;
}
{%- else %}
/* Counts the blocks. */
static void pool_statistics(const Heap *heap, struct {{ n }}_statistics *counts)
{
    const Index top = load(heap, TOP);
    const size_t bytes = (size_t)BLOCK * WORD;
    const Index blocks = (top - {{ first }}) / BLOCK;

    for (Index block = load(heap, HEAD); block != 0U; block = load(heap, block)) {
        counts->free_blocks++;
    }
    counts->footprint = (size_t)top * WORD;
    counts->footprint_peak = (size_t)load(heap, HIGH) * WORD;
    counts->used_blocks = (size_t)blocks - counts->free_blocks;
    counts->used_bytes = counts->used_blocks * bytes;
    counts->free_bytes = counts->free_blocks * bytes;
    counts->largest_free = (counts->free_blocks > 0U) ? bytes : 0U;
}
{%- endif %}
