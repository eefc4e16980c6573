
/* ---- The index: {% if index.second %}two-level segregated fit{% else %}half-fit{% endif %} ---------------------------------------------------
 *
 *   first level   0 0 1 0 1 0      a bit for each power of two
{%- if index.second %}
 *                     |   |
 *   second level      |   0 1 1 0  a bit for each of its {{ index.parts }} equal parts, which have a list each
{%- endif %}
 *
 * A request is rounded up to the next list's lower end before it is looked for, so that every block of
 * the lists from there on serves it: the head of the first one that is not empty is taken.
 *
{%- if index.second %}
 * Masmano, Ripoll, Crespo and Real 2004 (TLSF).
{%- else %}
 * Ogasawara 1995.
{%- endif %}
 */

{% if index.second -%}
/* Binary logarithm of the parts that a power of two has. */
#define SECOND {{ index.second }}U
#define PARTS {{ index.parts }}U
/* Bits of a word of a map. */
#define BITS {{ index.bits }}U
{% if index.row_words > 1 -%}
/* Words of a map of the second level. */
#define ROW_WORDS {{ index.row_words }}U
{% endif -%}
{% endif -%}
{% if index.by_region -%}
/* The list of the largest blocks that the region can have; what is behind the lists. */
#define LAST (heap->last)
#define LAYERS (heap->heads + heap->last + 1U)
#define CONTROL (LAYERS + {{ reserved }}U)
{% else -%}
/* The list of the largest requests, and of all larger blocks. */
#define LAST {{ index.last }}U
{% endif -%}
#define NO_LIST (LAST + 1U)
#define FIRST_LEVEL INDEX
{%- if index.second %}
#define SECOND_LEVEL (INDEX + 1U)
{%- endif %}
#define HEADS {% if index.by_region %}(heap->heads){% else %}{{ index.heads }}U{% endif %}
{%- if index.finds_larger %}
/* This many blocks of the list below are looked at when the region is full. */
#define SECOND_LOOK {{ index.second_look }}U
{%- endif %}

/* The list of blocks of `words`, were there no last one. */
static Index list_floor(Index words)
{
{%- if index.second %}
    Index shift;

    if (words < PARTS) {
        return words;
    }
    shift = logarithm(words) - SECOND;
    return (shift << SECOND) + (words >> shift);
{%- else %}
    return logarithm(words) + 1U;
{%- endif %}
}

/* The first list whose blocks all have `words`. */
static Index list_ceil(Index words)
{
{%- if index.second %}
    if (words < PARTS) {
        return words;
    }
    return list_floor(words + (((Index)1U << (logarithm(words) - SECOND)) - 1U));
{%- else %}
    return list_floor(words + (((Index)1U << logarithm(words)) - 1U));
{%- endif %}
}

/* The list that holds blocks of `words`. */
static Index list_for({% if index.by_region %}const Heap *heap, {% endif %}Index words)
{
    const Index list = list_floor(words);

    return (list < LAST) ? list : LAST;
}

{%- if index.rounds %}

/* What requests of `words` are rounded up to: 0 if they are too large. */
static inline Index index_round(Index words)
{
    return (list_ceil(words) <= LAST) ? words : 0U;
}
{%- endif %}
{%- if index.second %}

/* The first list of a power of two from its part `part` on that is not empty, or NO_LIST. */
static Index in_row(const Heap *heap, Index row, Index part)
{
{%- if index.row_words == 1 %}
    const Index bits = load(heap, SECOND_LEVEL + row) & (~(Index)0U << part);

    return (bits == 0U) ? NO_LIST : ((row << SECOND) + lowest_bit(bits));
{%- else %}
    Index mask = ~(Index)0U << (part % BITS);

    for (Index at = part / BITS; at < ROW_WORDS; at++) {
        const Index bits = load(heap, SECOND_LEVEL + (row * ROW_WORDS) + at) & mask;

        if (bits != 0U) {
            return (row << SECOND) + (at * BITS) + lowest_bit(bits);
        }
        mask = ~(Index)0U;
    }
    return NO_LIST;
{%- endif %}
}
{%- endif %}

/* The first list from `list` on that is not empty, or NO_LIST. */
static Index first_full(const Heap *heap, Index list)
{
{%- if index.second %}
    const Index row = list >> SECOND;
    const Index found = in_row(heap, row, list & (PARTS - 1U));
    Index rows;

    if (found != NO_LIST) {
        return found;
    }
    rows = load(heap, FIRST_LEVEL) & (~(Index)0U << (row + 1U));
    return (rows == 0U) ? NO_LIST : in_row(heap, lowest_bit(rows), 0U);
{%- else %}
    const Index rows = load(heap, FIRST_LEVEL) & (~(Index)0U << list);

    return (rows == 0U) ? NO_LIST : lowest_bit(rows);
{%- endif %}
}

/* A free block of `need` words whose list has no smaller one, or 0 (good fit). */
static Index index_find(const Heap *heap, Index need)
{
    Index list = list_ceil(need);

    if (list > LAST) {
        return 0U;
    }
    list = first_full(heap, list);
    return (list == NO_LIST) ? 0U : load(heap, HEADS + list);
}
{%- if index.finds_larger %}

/* A free block of `need` words among the first of its own list, or 0: the region is full. */
static Index index_find_larger(const Heap *heap, Index need)
{
    Index block = load(heap, HEADS + list_for({% if index.by_region %}heap, {% endif %}need));

    for (Index left = SECOND_LOOK; (block != 0U) && (left > 0U); left--) {
        if (words_of(load(heap, block - 1U)) >= need) {
            return block;
        }
        block = load(heap, block + NEXT);
    }
    return 0U;
}
{%- endif %}

/* Adds a free block. */
static void index_insert(Heap *heap, Index block, Index words)
{
    const Index list = list_for({% if index.by_region %}heap, {% endif %}words);
{%- if index.second %}
    const Index row = list >> SECOND;
    const Index part = list & (PARTS - 1U);
    const Index map = SECOND_LEVEL + {% if index.row_words == 1 %}row{% else %}(row * ROW_WORDS) + (part / BITS){% endif %};
{%- endif %}

    chain_push_front(heap, HEADS + list, block);
{%- if index.second %}
    store(heap, map, load(heap, map) | ((Index)1U << (part % BITS)));
    store(heap, FIRST_LEVEL, load(heap, FIRST_LEVEL) | ((Index)1U << row));
{%- else %}
    store(heap, FIRST_LEVEL, load(heap, FIRST_LEVEL) | ((Index)1U << list));
{%- endif %}
}

/* Takes a free block out. */
static void index_remove(Heap *heap, Index block, Index words)
{
    const Index list = list_for({% if index.by_region %}heap, {% endif %}words);
{%- if index.second %}
    const Index row = list >> SECOND;
    const Index part = list & (PARTS - 1U);
    const Index map = SECOND_LEVEL + {% if index.row_words == 1 %}row{% else %}(row * ROW_WORDS) + (part / BITS){% endif %};
{%- endif %}

    (void)chain_unlink(heap, HEADS + list, block);
    if (load(heap, HEADS + list) == 0U) {
{%- if index.second %}
        store(heap, map, load(heap, map) & ~((Index)1U << (part % BITS)));
        if (in_row(heap, row, 0U) == NO_LIST) {
            store(heap, FIRST_LEVEL, load(heap, FIRST_LEVEL) & ~((Index)1U << row));
        }
{%- else %}
        store(heap, FIRST_LEVEL, load(heap, FIRST_LEVEL) & ~((Index)1U << list));
{%- endif %}
    }
}

/* Verifies every list and its bits. */
static unsigned int index_check(const Heap *heap, Index top, Index free_blocks)
{
    Index left = free_blocks;

    for (Index list = 0U; list <= LAST; list++) {
        const unsigned int broken = chain_check(heap, HEADS + list, top, &left);
        const bool empty = (load(heap, HEADS + list) == 0U);
{%- if index.second %}
        const Index row = list >> SECOND;
        const Index part = list & (PARTS - 1U);
        const Index map = SECOND_LEVEL + {% if index.row_words == 1 %}row{% else %}(row * ROW_WORDS) + (part / BITS){% endif %};
{%- endif %}

        if (broken != 0U) {
            return broken;
        }
        for (Index block = load(heap, HEADS + list); block != 0U; block = load(heap, block + NEXT)) {
            if (list_for({% if index.by_region %}heap, {% endif %}{% if pool.family == "chunks" %}key_of(words_of(load(heap, block - 1U))){% else %}words_of(load(heap, block - 1U)){% endif %}) != list) {
                return 5U;
            }
        }
{%- if index.second %}
        if ((((load(heap, map) >> (part % BITS)) & 1U) == 0U) != empty) {
            return 6U;
        }
        if ((((load(heap, FIRST_LEVEL) >> row) & 1U) == 0U) != (in_row(heap, row, 0U) == NO_LIST)) {
            return 7U;
        }
{%- else %}
        if ((((load(heap, FIRST_LEVEL) >> list) & 1U) == 0U) != empty) {
            return 7U;
        }
{%- endif %}
    }
    return (left == 0U) ? 0U : 5U;
}
