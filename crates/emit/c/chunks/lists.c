{%- if index.kind == "two_level" %}

/* A free chunk of `need` words, or 0. */
static Index find_chunk(const Heap *heap, Index need)
{
    return index_find(heap, key_of(need));
}

static void insert_chunk(Heap *heap, Index block, Index words)
{
    index_insert(heap, block, key_of(words));
}

static void remove_chunk(Heap *heap, Index block, Index words)
{
    index_remove(heap, block, key_of(words));
}
{%- else %}
/* ---- The free chunks: {% if pool.lists == "rings" %}a ring for each power of two{% else %}one list{% endif %} ---- */

#define LIST INDEX
{%- if pool.ends %}
/* The last chunk of the list; the free chunk between the ends, or 0: a measure. */
#define TAIL (INDEX + 1U)
#define MIDDLE (INDEX + 2U)
{%- endif %}
{%- if pool.lists == "rings" %}
/* The head of the first ring, and the number of rings; the word before has a bit for each that is not empty. */
#define RINGS (INDEX + 1U)
#define NUMBER_OF_RINGS {{ pool.rings }}U
/* Chunks of its own ring that a request looks at. */
#define TRIES 3U
{%- endif %}

/* The next free chunk, or 0. */
static inline Index next_of(const Heap *heap, Index block)
{
    return load(heap, block){% if pool.head == "packed" %} >> LINK_BITS{% endif %};
}

/* The free chunk before, or 0. */
static inline Index previous_of(const Heap *heap, Index block)
{
    return {% if pool.head == "packed" %}load(heap, block) & LINK{% else %}load(heap, block + 1U){% endif %};
}

static void set_links(Heap *heap, Index block, Index next, Index previous)
{
{%- if pool.head == "packed" %}
    store(heap, block, (next << LINK_BITS) | previous);
{%- else %}
    store(heap, block, next);
    store(heap, block + 1U, previous);
{%- endif %}
}

static void set_next(Heap *heap, Index block, Index next)
{
    store(heap, block, {% if pool.head == "packed" %}(next << LINK_BITS) | (load(heap, block) & LINK){% else %}next{% endif %});
}

static void set_previous(Heap *heap, Index block, Index previous)
{
{%- if pool.head == "packed" %}
    store(heap, block, (load(heap, block) & ~LINK) | previous);
{%- else %}
    store(heap, block + 1U, previous);
{%- endif %}
}
{%- if pool.lists == "rings" %}

/* The ring of chunks of this size. */
static inline Index ring_of(Index words)
{
    return logarithm(((words - MIN_BLOCK) / UNIT) + 1U);
}

/* A free chunk of `need` words, or 0: one of the first few of its ring, which turns on over the others, else the head of the
 * next ring that is not empty. */
static Index find_chunk(Heap *heap, Index need)
{
    const Index ring = ring_of(need);
    Index start;
    Index block;
    Index larger;

    if (ring >= NUMBER_OF_RINGS) {
        return 0U;
    }
    start = load(heap, RINGS + ring);
    block = start;
    for (Index left = TRIES; (left > 0U) && (block != 0U); left--) {
        if (words_of(load(heap, block - 1U)) >= need) {
            return block;
        }
        block = next_of(heap, block);
        store(heap, RINGS + ring, block);
        if (block == start) {
            break;
        }
    }
    larger = (load(heap, LIST) >> ring) >> 1U;
    return (larger == 0U) ? 0U : load(heap, RINGS + ring + 1U + lowest_bit(larger));
}

/* Adds a free chunk at the end of its ring. */
static void insert_chunk(Heap *heap, Index block, Index words)
{
    const Index ring = ring_of(words);
    const Index head = load(heap, RINGS + ring);

    if (head == 0U) {
        store(heap, LIST, load(heap, LIST) | ((Index)1U << ring));
        store(heap, RINGS + ring, block);
        set_links(heap, block, block, block);
    } else {
        const Index last = previous_of(heap, head);

        set_links(heap, block, head, last);
        set_next(heap, last, block);
        set_previous(heap, head, block);
    }
}

/* Takes a free chunk out: its ring begins behind it. */
static void remove_chunk(Heap *heap, Index block, Index words)
{
    const Index ring = ring_of(words);
    const Index next = next_of(heap, block);

    if (next == block) {
        store(heap, LIST, load(heap, LIST) & ~((Index)1U << ring));
        store(heap, RINGS + ring, 0U);
    } else {
        const Index previous = previous_of(heap, block);

        store(heap, RINGS + ring, next);
        set_next(heap, previous, next);
        set_previous(heap, next, previous);
    }
}
{%- else %}

/* Makes `previous` point forward at `forward`, and `next` back at `back`. */
static void point_at(Heap *heap, Index previous, Index next, Index forward, Index back)
{
    if (previous == 0U) {
        store(heap, LIST, forward);
    } else {
        set_next(heap, previous, forward);
    }
    if (next != 0U) {
        set_previous(heap, next, back);
    }
{%- if pool.ends %} else {
        store(heap, TAIL, back);
    }
{%- endif %}
}

/* A free chunk of `need` words, or 0. */
static Index find_chunk(const Heap *heap, Index need)
{
    Index block = load(heap, LIST);
{%- if pool.best %}
    Index found = 0U;

    while (block != 0U) {
        const Index words = words_of(load(heap, block - 1U));

        if ((words >= need) && ((found == 0U) || (words < words_of(load(heap, found - 1U))))) {
            found = block;
        }
        block = next_of(heap, block);
    }
    return found;
{%- else %}

    while ((block != 0U) && (words_of(load(heap, block - 1U)) < need)) {
        block = next_of(heap, block);
    }
    return block;
{%- endif %}
}

{%- if pool.ends %}
/* The last free chunk of `need` words, or 0. */
static Index find_last(const Heap *heap, Index need)
{
    Index block = load(heap, TAIL);

    while ((block != 0U) && (words_of(load(heap, block - 1U)) < need)) {
        block = previous_of(heap, block);
    }
    return block;
}

{% endif %}
/* Adds a free chunk{% if pool.lists == "lifo" %} in front{% else %} in order of {{ "addresses" if pool.lists == "address" else "sizes" }}{% endif %}. */
static void insert_chunk(Heap *heap, Index block, Index words)
{
{%- if pool.lists == "lifo" %}
    const Index next = load(heap, LIST);

    (void)words;
    set_links(heap, block, next, 0U);
    point_at(heap, 0U, next, block, block);
{%- else %}
    Index previous = 0U;
    Index next = load(heap, LIST);
{% if pool.lists == "address" %}
    (void)words;
    while ((next != 0U) && (next < block)) {
{%- else %}
    while ((next != 0U) && (words_of(load(heap, next - 1U)) < words)) {
{%- endif %}
        previous = next;
        next = next_of(heap, next);
    }
    set_links(heap, block, next, previous);
    point_at(heap, previous, next, block, block);
{%- endif %}
}

/* Takes a free chunk out. */
static void remove_chunk(Heap *heap, Index block, Index words)
{
    const Index next = next_of(heap, block);
    const Index previous = previous_of(heap, block);

    (void)words;
    point_at(heap, previous, next, next, previous);
}
{%- if pool.keeps_place %}

/* Puts the chunk at `with` where the one at `old` is in the list. */
static void replace_chunk(Heap *heap, Index old, Index with)
{
    const Index next = next_of(heap, old);
    const Index previous = previous_of(heap, old);

    set_links(heap, with, next, previous);
    point_at(heap, previous, next, with, with);
}
{%- endif %}
{%- endif %}
{%- endif %}
