
/* ---- The index: bins, a {{ index.each_text }} for every range of block sizes --------------------------
 *
 *   bit map   1 0 0 1 1 ...
 *   bin 0 --> 16 --> 16          every block of a bin lies in its range;
 *   bin 3 --> 44 --> 40          ranges ascend with the bin's number
 *
 * A request looks through its own bin first, then takes of the next bin that is not empty.
 *
 * Wilson, Johnstone, Neely and Boles 1995 (segregated fits){% if index.lea %}; Lea's allocator 2.6 (the 128 bins){% endif %}.
 */

#define BINS {{ index.bins }}U
/* Bits of a word of the bit map, its words, the root of the first bin, the words of a root. */
#define BITS {{ index.bits }}U
#define MAP_WORDS {{ index.map_words }}U
#define ROOTS {{ index.roots }}U
#define ROOT_WORDS {{ index.root_words }}U
{%- if index.lea %}

/* The bin of blocks of `words`; it never decreases as `words` grows. */
static Index bin_of(Index words)
{
    const Index size = words * WORD;

    if (size < 512U) {
        return size >> 3U;
    }
    if (size < 2112U) {
        return 56U + (size >> 6U);
    }
    if ((size >> 9U) <= 20U) {
        return 91U + (size >> 9U);
    }
    if ((size >> 12U) <= 10U) {
        return 110U + (size >> 12U);
    }
    if ((size >> 15U) <= 4U) {
        return 119U + (size >> 15U);
    }
    return ((size >> 18U) <= 2U) ? (124U + (size >> 18U)) : 126U;
}
{%- else %}
{%- if index.per_doubling %}

/* The bin of a size, were there {{ index.per_doubling }} for every doubling from 1 on. */
static Index logarithmic(Index size)
{
{%- if word == 8 %}
    Index exponent = logarithm(size);
{%- if index.per_doubling > 1 %}
    Index within = size - ((Index)1U << exponent);
{%- endif %}

    if (exponent > 31U) {
        exponent = 31U;
{%- if index.per_doubling > 1 %}
        within = size - ((Index)1U << exponent);
    }
    if (within >= ((Index)1U << exponent)) {
        within = ((Index)1U << exponent) - 1U;
{%- endif %}
    }
{%- elif index.per_doubling > 1 %}
    const Index exponent = logarithm(size);
    const Index within = size - ((Index)1U << exponent);
{% else %}
    const Index exponent = logarithm(size);
{% endif %}
{%- if index.per_doubling == 1 %}
    return exponent;
{%- else %}
    if (exponent < {{ index.per_doubling_log }}U) {
        return (exponent * {{ index.per_doubling }}U) + (within << ({{ index.per_doubling_log }}U - exponent));
    }
    return (exponent * {{ index.per_doubling }}U) + (within >> (exponent - {{ index.per_doubling_log }}U));
{%- endif %}
}
{%- endif %}

/* The bin of blocks of `words`; it never decreases as `words` grows. */
static Index bin_of(Index words)
{
    const Index size = words * WORD;
{%- if index.count %}
    const Index exact = (size > {{ index.from }}U) ? ((size - {{ index.from }}U) / {{ index.step }}U) : 0U;

    if (exact < {{ index.count }}U) {
        return exact;
    }
{%- else %}
{% endif %}
{%- if index.per_doubling %}
    return ({{ index.count }}U + logarithmic(size)) - {{ index.first_log }}U;
{%- else %}
    return {{ index.count }}U;
{%- endif %}
}
{%- endif %}

static inline Index root_of(Index bin)
{
    return ROOTS + (bin * ROOT_WORDS);
}

static void mark(Heap *heap, Index bin, bool full)
{
    const Index at = INDEX + (bin / BITS);
    const Index bit = (Index)1U << (bin % BITS);
    const Index old = load(heap, at);

    store(heap, at, full ? (old | bit) : (old & ~bit));
}

/* The first bin from `bin` on that is not empty, or BINS. */
static Index next_full(const Heap *heap, Index bin)
{
    Index mask = ~(Index)0U << (bin % BITS);

    for (Index at = bin / BITS; at < MAP_WORDS; at++) {
        const Index bits = load(heap, INDEX + at) & mask;

        if (bits != 0U) {
            return (at * BITS) + lowest_bit(bits);
        }
        mask = ~(Index)0U;
    }
    return BINS;
}

/* {% if index.best %}Best fit{% else %}First fit in the bin of the request{% if index.tries %}, to a depth{% endif %}, then in those above{% endif %}: a free block of `need` words, or 0. */
static Index index_find(const Heap *heap, Index need)
{
    Index own;
    Index full;
    Index block;
{%- if index.tries %}
    Index behind = 0U;
{%- endif %}

    if (need > MAX_WORDS) {
        return 0U; /* and below, sizes in bytes do not overflow */
    }
{%- if index.small_heads %}
    block = small_find(heap, need);
    if (block != 0U) {
        return block;
    }
{%- endif %}
    own = bin_of(need);
    full = next_full(heap, own);
    if (full == BINS) {
        return 0U;
    }
    block = bin_find(heap, root_of(full), need{% if index.tries %}, &behind{% endif %});
    if (block != 0U) {
        return block;
    }
    full = next_full(heap, own + 1U);
{%- if index.tries %}
    if (full == BINS) {
        return bin_find_on(heap, behind, need);
    }
    return bin_find(heap, root_of(full), need, &behind);
{%- else %}
    return (full == BINS) ? 0U : bin_find(heap, root_of(full), need);
{%- endif %}
}

/* Adds a free block. */
static void index_insert(Heap *heap, Index block, Index words)
{
{%- if index.small_heads %}
    if (words < NODE) {
        chain_push_front(heap, small_head(words), block);
        return;
    }
{%- endif %}
    bin_insert(heap, root_of(bin_of(words)), block, words);
    mark(heap, bin_of(words), true);
}

/* Takes a free block out. */
static void index_remove(Heap *heap, Index block, Index words)
{
    Index bin;
{% if index.small_heads %}
    if (words < NODE) {
        (void)chain_unlink(heap, small_head(words), block);
        return;
    }
{%- endif %}
    bin = bin_of(words);
    bin_remove(heap, root_of(bin), block{% if index.each == "skiplist" %}, words{% endif %});
    if (bin_is_empty(heap, root_of(bin))) {
        mark(heap, bin, false);
    }
}

/* Whether a block of `words` belongs in the bin. */
static inline bool bin_holds(Index bin, Index words)
{
    return {% if index.small_heads %}(words >= NODE) && {% endif %}(bin_of(words) == bin);
}
{% include index.check_file %}

/* Verifies every bin, in which together `free_blocks` blocks must be. */
static unsigned int index_check(const Heap *heap, Index top, Index free_blocks)
{
    Index left = free_blocks;
{%- if index.small_heads %}
    unsigned int broken = small_check(heap, top, &left);
{%- else %}
    unsigned int broken = 0U;
{%- endif %}

    for (Index bin = 0U; (bin < BINS) && (broken == 0U); bin++) {
        const bool full = ((load(heap, INDEX + (bin / BITS)) >> (bin % BITS)) & 1U) != 0U;

        if (full == bin_is_empty(heap, root_of(bin))) {
            return 5U;
        }
        broken = bin_check(heap, bin, root_of(bin), top, &left);
    }
    return ((broken == 0U) && (left != 0U)) ? 5U : broken;
}
