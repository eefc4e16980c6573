
/* ---- The index: one list of all free blocks, {{ index.order_text }} --------
 *
 *   HEAD --> free --> free --> free --> 0
 *
 * Knuth 1968, section 2.5; Wilson, Johnstone, Neely and Boles 1995 (sequential fits).
 */

#define HEAD INDEX
{%- if index.fit == "next" %}
/* The rover: the free block where the next search begins, or 0. */
#define ROVER {{ index.extra }}U
{%- elif index.counts %}
/* How many blocks are free, which a best fit of a limited depth needs to know. */
#define FREE_BLOCKS {{ index.extra }}U
{%- endif %}

static void index_clear(Heap *heap)
{
    store(heap, HEAD, 0U);
{%- if chain.tail %}
    store(heap, HEAD + 1U, 0U);
{%- endif %}
{%- if index.fit == "next" %}
    store(heap, ROVER, 0U);
{%- elif index.counts %}
    store(heap, FREE_BLOCKS, 0U);
{%- endif %}
}
{% if index.fit == "first" or index.fit == "next" %}
{%- if index.fit == "first" %}
/* First fit: the first free block of `need` words, or 0. */
static Index index_find(const Heap *heap, Index need)
{
    Index block = load(heap, HEAD);

    while ((block != 0U) && (words_of(load(heap, block - 1U)) < need)) {
        block = load(heap, block + NEXT);
    }
    return block;
}
{%- else %}
/* The first block from `from` up to `end` that has `need` words, or 0. */
static Index first_from(const Heap *heap, Index from, Index end, Index need)
{
    Index block = from;

    while (block != end) {
        if (words_of(load(heap, block - 1U)) >= need) {
            return block;
        }
        block = load(heap, block + NEXT);
    }
    return 0U;
}

/* Next fit: the first free block of `need` words from the rover on and around, or 0. */
static Index index_find(Heap *heap, Index need)
{
    const Index rover = load(heap, ROVER);
    Index block = 0U;

    if (rover != 0U) {
        block = first_from(heap, rover, 0U, need);
    }
    if (block == 0U) {
        block = first_from(heap, load(heap, HEAD), rover, need);
    }
    if (block != 0U) {
        store(heap, ROVER, block);
    }
    return block;
}
{%- endif %}
{%- elif index.fit == "best" %}
/* Best fit: the smallest free block of `need` words, or 0
{%- if index.counts %}; among the first {{ index.depth }}% of the list, beyond them the first{% endif %}. */
static Index index_find(const Heap *heap, Index need)
{
{%- if index.counts %}
    const Index count = load(heap, FREE_BLOCKS);
    /* {{ index.depth }}% of the count, rounded up, without an overflow. */
    Index left = ((count / 100U) * {{ index.depth }}U) + ((((count % 100U) * {{ index.depth }}U) + 99U) / 100U);
{%- endif %}
    Index best = 0U;
    Index best_words = 0U;
    Index block = load(heap, HEAD);

    while ({% if index.counts %}(block != 0U) && ((left > 0U) || (best == 0U)){% else %}block != 0U{% endif %}) {
        const Index words = words_of(load(heap, block - 1U));

        if ((words >= need) && ((best == 0U) || (words < best_words))) {
            best = block;
            best_words = words;
            if (words == need) {
                break;
            }
        }
{%- if index.counts %}
        left -= (left > 0U) ? 1U : 0U;
{%- endif %}
        block = load(heap, block + NEXT);
    }
    return best;
}
{%- else %}
/* Worst fit: the largest free block, if it has `need` words, or 0. */
static Index index_find(const Heap *heap, Index need)
{
    Index worst = 0U;
    Index worst_case_words = 0U;
    Index block = load(heap, HEAD);

    while (block != 0U) {
        const Index words = words_of(load(heap, block - 1U));

        if (words > worst_case_words) {
            worst = block;
            worst_case_words = words;
        }
        block = load(heap, block + NEXT);
    }
    return (worst_case_words >= need) ? worst : 0U;
}
{%- endif %}
{%- if index.order == "address" %}

/* The last free block before `block`, or 0. */
static Index index_locate(const Heap *heap, Index block)
{
    Index previous = 0U;
    Index next = load(heap, HEAD);

    while ((next != 0U) && (next < block)) {
        previous = next;
        next = load(heap, next + NEXT);
    }
    return previous;
}
{%- endif %}
{%- if index.counts %}

static void index_count(Heap *heap, Index change)
{
    store(heap, FREE_BLOCKS, load(heap, FREE_BLOCKS) + change);
}
{%- endif %}
{%- if index.order == "address" %}

/* Adds a free block after `place`, which `index_locate` returned for it. */
static void index_insert_at(Heap *heap, Index block, Index place)
{
    chain_insert_after(heap, HEAD, place, block);
{%- if index.counts %}
    index_count(heap, 1U);
{%- endif %}
}
{%- endif %}

/* Adds a free block. */
static void index_insert(Heap *heap, Index block)
{
{%- if index.order == "address" %}
    index_insert_at(heap, block, index_locate(heap, block));
{%- else %}
    {{ "chain_push_back" if index.order == "fifo" else "chain_push_front" }}(heap, HEAD, block);
{%- if index.counts %}
    index_count(heap, 1U);
{%- endif %}
{%- endif %}
}
{%- if chain.unlink %}

/* Takes a free block out. */
static void index_remove(Heap *heap, Index block)
{
{%- if index.fit == "next" %}
    const Index next = chain_unlink(heap, HEAD, block);

    if (load(heap, ROVER) == block) {
        store(heap, ROVER, next);
    }
{%- else %}
    (void)chain_unlink(heap, HEAD, block);
{%- endif %}
{%- if index.counts %}
    index_count(heap, (Index)0U - 1U);
{%- endif %}
}
{%- endif %}
{%- if chain.replace %}

/* Puts the free block `with` where `old` was. */
static void index_replace(Heap *heap, Index old, Index with)
{
    chain_replace(heap, HEAD, old, with);
{%- if index.fit == "next" %}
    if (load(heap, ROVER) == old) {
        store(heap, ROVER, with);
    }
{%- endif %}
}
{%- endif %}

/* Verifies the list, on which `free_blocks` blocks must be. */
static unsigned int index_check(const Heap *heap, Index top, Index free_blocks)
{
    Index left = free_blocks;
    const unsigned int broken = chain_check(heap, HEAD, top, &left);
{%- if index.order == "address" or index.fit == "next" %}
    Index block = load(heap, HEAD);
{%- endif %}
{%- if index.fit == "next" %}
    const Index rover = load(heap, ROVER);
    bool rover_seen = (rover == 0U);
{%- endif %}

    if (broken != 0U) {
        return broken;
    }
    if (left != 0U) {
        return 5U;
    }
{%- if index.order == "address" or index.fit == "next" %}
    while (block != 0U) {
        const Index next = load(heap, block + NEXT);
{% if index.order == "address" %}
        if ((next != 0U) && (next <= block)) {
            return 6U;
        }
{%- endif %}
{%- if index.fit == "next" %}
        rover_seen = rover_seen || (block == rover);
{%- endif %}
        block = next;
    }
{%- endif %}
{%- if index.fit == "next" %}
    if (!rover_seen) {
        return 8U;
    }
{%- endif %}
{%- if index.counts %}
    if (load(heap, FREE_BLOCKS) != free_blocks) {
        return 7U;
    }
{%- endif %}
    return 0U;
}
