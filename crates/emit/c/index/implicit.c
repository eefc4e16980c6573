
/* ---- The index: none; a search steps through every block, used and free -----------------------
 *
 *   first --> used --> free --> used --> ... --> wilderness (header of size 0)
 *
 * Peintner, Bukhatwa and Patel, section 4; Knuth 1968, section 2.5.
 */
{% if index.fit == "next" %}
/* The rover: the block where the next search begins. */
#define ROVER INDEX
{% elif index.counts %}
/* How many blocks are free, which a best fit of a limited depth needs to know. */
#define FREE_BLOCKS INDEX
{% endif %}
{%- if index.fit == "first" %}
/* First fit: the first free block of `need` words, or 0. */
static Index index_find(const Heap *heap, Index need)
{
    Index block = {{ first }};

    for (;;) {
        const Index head = load(heap, block - 1U);

        if (!is_used(head) && (words_of(head) >= need)) {
            return block;
        }
        if (words_of(head) == 0U) {
            return 0U;
        }
        block += {{ size_of }}(head);
    }
}
{%- elif index.fit == "next" %}
/* The first free block of `need` words from `from` up to `end` (0: the wilderness), or 0. */
static Index first_from(const Heap *heap, Index from, Index end, Index need)
{
    Index block = from;

    while (block != end) {
        const Index head = load(heap, block - 1U);

        if (!is_used(head) && (words_of(head) >= need)) {
            return block;
        }
        if (words_of(head) == 0U) {
            return 0U;
        }
        block += {{ size_of }}(head);
    }
    return 0U;
}

/* Next fit: the first free block of `need` words from the rover on and around, or 0. */
static Index index_find(Heap *heap, Index need)
{
    const Index rover = load(heap, ROVER);
    Index block = first_from(heap, rover, 0U, need);

    if (block == 0U) {
        block = first_from(heap, {{ first }}, rover, need);
    }
    if (block != 0U) {
        store(heap, ROVER, block);
    }
    return block;
}

/* The blocks that began in `from` up to `end` are gone; the block there now begins at `into`. */
static void index_absorb(Heap *heap, Index from, Index end, Index into)
{
    const Index rover = load(heap, ROVER);

    if ((rover >= from) && (rover < end)) {
        store(heap, ROVER, into);
    }
}
{%- else %}
/* {{ "Best" if index.fit == "best" else "Worst" }} fit: the {{ "smallest" if index.fit == "best" else "largest" }} free block of `need` words, or 0
{%- if index.counts %}; among the first {{ index.depth }}% of the free blocks, beyond
 * them the first{% endif %}. */
static Index index_find(const Heap *heap, Index need)
{
{%- if index.counts %}
    const Index count = load(heap, FREE_BLOCKS);
    /* {{ index.depth }}% of the count, rounded up, without an overflow. */
    Index left = ((count / 100U) * {{ index.depth }}U) + ((((count % 100U) * {{ index.depth }}U) + 99U) / 100U);
{%- endif %}
    Index chosen = 0U;
    Index chosen_words = 0U;
    Index block = {{ first }};
    Index head = load(heap, block - 1U);

    while ({% if index.counts %}(words_of(head) != 0U) && ((left > 0U) || (chosen == 0U)){% else %}words_of(head) != 0U{% endif %}) {
        const Index words = {{ size_of }}(head);

        if (!is_used(head)) {
            if ((words >= need) && ((chosen == 0U) || (words {{ "<" if index.fit == "best" else ">" }} chosen_words))) {
                chosen = block;
                chosen_words = words;
{%- if index.fit == "best" %}
                if (words == need) {
                    break;
                }
{%- endif %}
            }
{%- if index.counts %}
            left -= (left > 0U) ? 1U : 0U;
{%- endif %}
        }
        block += words;
        head = load(heap, block - 1U);
    }
    return chosen;
}
{%- endif %}
{%- if index.counts %}

static void index_count(Heap *heap, Index change)
{
    store(heap, FREE_BLOCKS, load(heap, FREE_BLOCKS) + change);
}

/* Adds a free block. */
static void index_insert(Heap *heap)
{
    index_count(heap, 1U);
}

/* Takes a free block out. */
static void index_remove(Heap *heap)
{
    index_count(heap, (Index)0U - 1U);
}
{%- endif %}
{%- if index.counts %}

/* Verifies the count. */
static unsigned int index_check(const Heap *heap, Index top, Index free_blocks)
{
    (void)top;
    return (load(heap, FREE_BLOCKS) == free_blocks) ? 0U : 7U;
}
{%- elif index.fit == "next" %}

/* Verifies that the rover names a block, or the wilderness. */
static unsigned int index_check(const Heap *heap, Index top, Index free_blocks)
{
    const Index rover = load(heap, ROVER);
    Index block = {{ first }};

    (void)free_blocks;
    while ((block < rover) && (block < top)) {
        block += {{ size_of }}(load(heap, block - 1U));
    }
    return (block == rover) ? 0U : 8U;
}
{%- endif %}
