
/* ---- The pool: blocks one behind the other ----------------------------------------------------
 *
 *   | control | H | payload | H | payload | gap | H | payload | wilderness |
 *                                           ^ an alignment left it   ^ TOP
 *
 * H is a header: words of the block, P (no gap before), used. A gap is a free block of one word or more,
 * whose first and last words are its header. TOP names the payload that a next block would have.
{%- if pool.frees == "last-first" %}
 * The last block goes back to the wilderness, with the gap before it. No other can be freed.
{%- elif pool.frees == "when-empty" %}
 * A freed block is marked; when no block is live the region is empty again.
{%- else %}
 * A freed block is marked for `check` and the statistics; its bytes are lost.
{%- endif %}
 *
 * A1  Blocks tile the region from the first to TOP.
 * A2  P is clear in the header behind a gap.
 *
 * Diamantstein, Stroud-Taylor and Trostanovsky, section 2.2.
 */

{% include "header.c" %}
#define GRANULE {{ pool.granule }}U
{%- if pool.frees == "when-empty" %}
/* The control word that counts the live blocks. */
#define LIVE INDEX
{%- endif %}

static void set_top(Heap *heap, Index top)
{
    store(heap, TOP, top);
    /* An empty region ends before its first header. */
    if ((top - 1U) > load(heap, HIGH)) {
        store(heap, HIGH, top - 1U);
    }
}

/* Words of the block for `size` bytes; 0 if no block can be so large. */
static Index words_for(size_t size)
{
    if ((size == 0U) || is_too_large(size)) {
        return 0U;
    }
    return ((((Index)size + (WORD - 1U)) / WORD) + GRANULE) & ~((Index)GRANULE - 1U);
}

/* Words from `top` to the next payload at a multiple of `alignment`. */
static Index gap_before(const Heap *heap, Index top, size_t alignment)
{
    const Index step = (Index)(alignment / WORD);
    const Index base = (Index)(address_of(heap->words) / WORD);

    return (step - ((base + top) & (step - 1U))) & (step - 1U);
}

static bool pool_init(Heap *heap)
{
{%- if pool.granule > 1 %}
    const Index base = (Index)((address_of(heap->words) / WORD) & (GRANULE - 1U));

    heap->first = ((base + CONTROL + 1U + (GRANULE - 1U)) & ~((Index)GRANULE - 1U)) - base;
{%- endif %}
    if (({{ first }} + ((1U + GRANULE) & ~((Index)GRANULE - 1U))) > (heap->length + 1U)) {
        return false;
    }
    store(heap, HIGH, 0U);
    set_top(heap, {{ first }});
{%- if pool.frees == "when-empty" %}
    store(heap, LIVE, 0U);
{%- endif %}
    return true;
}

static Index pool_allocate(Heap *heap, size_t size, size_t alignment)
{
    const Index need = words_for(size);
    const Index top = load(heap, TOP);
    Index gap = 0U;

    if ((need == 0U) || ((alignment & (alignment - 1U)) != 0U) || is_too_coarse(alignment)) {
        return 0U;
    }
    if (alignment > ALIGNMENT) {
        gap = gap_before(heap, top, alignment);
    }
    /* The region ends where the next block's header would begin. */
    if (((top - 1U) + gap + need) > heap->length) {
        return 0U;
    }
    if (gap > 0U) {
        store(heap, top - 1U, header(gap, PREVIOUS_USED));
        store(heap, (top + gap) - 2U, header(gap, PREVIOUS_USED));
    }
    store(heap, (top + gap) - 1U, header(need, (gap > 0U) ? USED : (USED | PREVIOUS_USED)));
    set_top(heap, top + gap + need);
{%- if pool.frees == "when-empty" %}
    store(heap, LIVE, load(heap, LIVE) + 1U);
{%- endif %}
    return top + gap;
}
{% if pool.frees == "last-first" %}
/* Frees the last block; false for any other, which stays as it is. */
static bool pool_free(Heap *heap, Index block)
{
    const Index head = load(heap, block - 1U);

    if ((block + words_of(head)) != load(heap, TOP)) {
        return false;
    }
    set_top(heap, ((head & PREVIOUS_USED) != 0U) ? block : (block - words_of(load(heap, block - 2U))));
    return true;
}
{%- else %}
static void pool_free(Heap *heap, Index block)
{
    store(heap, block - 1U, load(heap, block - 1U) & ~(Index)USED);
{%- if pool.frees == "when-empty" %}
    store(heap, LIVE, load(heap, LIVE) - 1U);
    if (load(heap, LIVE) == 0U) {
        set_top(heap, {{ first }});
    }
{%- endif %}
}
{%- endif %}

/* Resizes the block to `size` bytes in place, if it can: the last one grows and shrinks. */
static bool pool_resize(Heap *heap, Index block, size_t size)
{
    const Index need = words_for(size);
    const Index head = load(heap, block - 1U);
    const bool last = ((block + words_of(head)) == load(heap, TOP));

    if (need == 0U) {
        return false;
    }
    if ((need > words_of(head)) && (!last || (((block + need) - 1U) > heap->length))) {
        return false;
    }
    if (last) {
        store(heap, block - 1U, header(need, head & (USED | PREVIOUS_USED)));
        set_top(heap, block + need);
    }
    return true;
}

{%- if asks_for_usable %}
/* Bytes that the owner of the block may use. */
static size_t pool_usable(const Heap *heap, Index block)
{
    return ((size_t)words_of(load(heap, block - 1U)) - 1U) * WORD;
}
{%- endif %}

/* The number of the first invariant that is broken, or 0. */
static unsigned int pool_check(const Heap *heap)
{
    const Index top = load(heap, TOP);
    Index block = {{ first }};
    bool before_is_used = true;
{%- if pool.frees == "when-empty" %}
    Index used = 0U;
{%- endif %}

    if ((top < {{ first }}) || ((top - 1U) > heap->length) || ((top - 1U) > load(heap, HIGH))) {
        return 9U;
    }
    while (block < top) {
        const Index head = load(heap, block - 1U);
        const Index words = words_of(head);
        const bool after_gap = ((head & PREVIOUS_USED) == 0U);

        if ((words == 0U) || (words > (top - block))) {
            return 1U;
        }
        if (after_gap {% if pool.frees == "last-first" %}=={% else %}&&{% endif %} before_is_used) {
            return 2U;
        }
{%- if pool.frees == "last-first" %}
        if (!is_used(head) && (!before_is_used || (words == (top - block)) ||
                               (load(heap, (block + words) - 2U) != head))) {
            return 3U;
        }
{%- endif %}
        before_is_used = is_used(head);
{%- if pool.frees == "when-empty" %}
        used += before_is_used ? 1U : 0U;
{%- endif %}
        block += words;
    }
{%- if pool.frees == "when-empty" %}
    return (load(heap, LIVE) == used) ? 0U : 4U;
{%- else %}
    return 0U;
{%- endif %}
}

/* {% if "counters" in extras %}Says how much is in use{% else %}Counts the blocks{% endif %}. */
static void pool_statistics(const Heap *heap, struct {{ n }}_statistics *counts)
{
    const Index top = load(heap, TOP);

    counts->footprint = ((size_t)top - 1U) * WORD;
    counts->footprint_peak = (size_t)load(heap, HIGH) * WORD;
{%- if "counters" not in extras %}
    for (Index block = {{ first }}; block < top; block += words_of(load(heap, block - 1U))) {
        const size_t payload = ((size_t)words_of(load(heap, block - 1U)) - 1U) * WORD;

        if (is_used(load(heap, block - 1U))) {
            counts->used_blocks++;
            counts->used_bytes += payload;
        } else {
            /* Nothing is served by it. */
            counts->free_blocks++;
            counts->free_bytes += payload;
        }
    }
{%- endif %}
}
