
/* ---- A skip list by size ----------------------------------------------------------------------
 *
 *   node at     | SAME: first of equal size |     heads, a level each
 *   node at+1   | BACK: 0                   |     1 --------> 24 --> 40 --> 0
 *   node at+2   | level 0: next larger      |     0 --> 16 -> 24 --> 40 --> 0
 *   node at+3.. | further levels            |
 *
 * The height of a node is a function of its size: it is not stored, and every block of the size has
 * the same.
 *
 * Pugh 1990 (p = 1/4); heights by the finalizer of SplitMix64, Steele, Lea and Flood 2014.
 */

#define LEVELS {{ index.levels }}U
#define SEED UINT64_C({{ index.seed }})

/* Levels that a node of `words` words is on: as many as there is room for. */
static Index height(Index words)
{
    Index max = words - (2U + OWN);
    uint64_t bits = (uint64_t)words + SEED;
    Index levels = 1U;

    if (max > LEVELS) {
        max = LEVELS;
    }
    bits = (bits ^ (bits >> 30U)) * UINT64_C(0xBF58476D1CE4E5B9);
    bits = (bits ^ (bits >> 27U)) * UINT64_C(0x94D049BB133111EB);
    bits ^= bits >> 31U;
    while ((levels < max) && ((bits & 3U) == 0U)) {
        levels++;
        bits >>= 2U;
    }
    return levels;
}

/* Where on each level a block of `words` belongs: the links that lead past smaller nodes. `block` is not
 * looked into, as its header may be overwritten. */
static void find_links(const Heap *heap, Index root, Index words, Index block, Index links[LEVELS])
{
    Index link = root + (LEVELS - 1U);
    Index larger = 0U;

    for (Index level = LEVELS; level > 0U; level--) {
        Index next = load(heap, link);

        while ((next != larger) && (next != block) && (words_of(load(heap, next - 1U)) < words)) {
            link = next + OWN + (level - 1U);
            next = load(heap, link);
        }
        larger = next;
        links[level - 1U] = link;
        link--;
    }
}

/* The smallest block of at least `need` words, or 0. */
static Index bin_find(const Heap *heap, Index root, Index need)
{
    Index link = root + (LEVELS - 1U);
    Index larger = 0U;

    for (Index level = LEVELS; level > 0U; level--) {
        Index next = load(heap, link);

        while ((next != larger) && (words_of(load(heap, next - 1U)) < need)) {
            link = next + OWN + (level - 1U);
            next = load(heap, link);
        }
        larger = next;
        link--;
    }
    return easiest(heap, larger);
}

static void bin_insert(Heap *heap, Index root, Index block, Index words)
{
    Index links[LEVELS];
    Index next;

    find_links(heap, root, words, block, links);
    next = load(heap, links[0]);
    if ((next != 0U) && (words_of(load(heap, next - 1U)) == words)) {
        chain(heap, next, block);
        return;
    }
    store(heap, block + SAME, 0U);
    store(heap, block + BACK, 0U);
    for (Index level = 0U; level < height(words); level++) {
        store(heap, block + OWN + level, load(heap, links[level]));
        store(heap, links[level], block);
    }
}

static void bin_remove(Heap *heap, Index root, Index block, Index words)
{
    const Index its_back = load(heap, block + BACK);
    const Index successor = load(heap, block + SAME);
    Index links[LEVELS];

    if ((its_back & LISTED) != 0U) {
        unchain(heap, block, its_back);
        return;
    }
    find_links(heap, root, words, block, links);
    for (Index level = 0U; level < height(words); level++) {
        const Index next = load(heap, block + OWN + level);

        if (successor == 0U) {
            store(heap, links[level], next);
        } else {
            /* Of one size and so of one height: the heir comes onto the same levels. */
            store(heap, successor + OWN + level, next);
            store(heap, links[level], successor);
        }
    }
    if (successor != 0U) {
        store(heap, successor + BACK, 0U);
    }
}
{%- if index.kind == "bins" %}

static inline bool bin_is_empty(const Heap *heap, Index root)
{
    return load(heap, root) == 0U;
}
{%- endif %}
