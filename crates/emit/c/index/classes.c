
/* ---- The index: a list for each of a fixed set of block sizes ---------------------------------
 *
 *   class 32  --> free --> free           a request is rounded up to its class;
 *   class 64  --> free                    above the largest it is {% if index.beyond %}rounded up to a
 *   beyond    --> free 8192 --> free 4096 multiple of a step{% else %}refused{% endif %}
 *
 * Nothing is split or joined. Mamagkakis et al. 2006, Table 1.
 */

#define CLASSES {{ index.classes }}U
{%- if index.beyond %}
/* Words that blocks beyond the classes are a multiple of. */
#define STEP {{ index.beyond }}
{%- endif %}
{%- set map = index.map %}
{% include "sizes.c" %}

/* The block size that requests of `words` are rounded up to; 0 if they are too large. */
static Index index_round(Index words)
{
    const Place list = class_of(words);
{% if index.beyond %}
    return (list < CLASSES) ? class_words(list) : (((words + (STEP - 1U)) / STEP) * STEP);
{%- else %}
    return (list < CLASSES) ? class_words(list) : 0U;
{%- endif %}
}

/* The list of freed blocks of `words`: that of the largest class not above{% if index.beyond %}, or the one beyond{% endif %}; NO_LIST for none. */
#define NO_LIST (CLASSES + 1U)
{{ in_place }} Place list_floor(Index words)
{
    const Place list = class_of(words);

    if (list < CLASSES) {
        if (class_words(list) == words) {
            return list;
        }
        return (list == 0U) ? NO_LIST : (list - 1U);
    }
    return {% if index.beyond %}CLASSES{% else %}CLASSES - 1U{% endif %};
}

/* The first block of `list` that has `need` words, or 0. */
static Index search(const Heap *heap, Place list, Index need)
{
    Index block = load(heap, INDEX + list);

    while ((block != 0U) && (words_of(load(heap, block - 1U)) < need)) {
        block = load(heap, block);
    }
    return block;
}
{%- if index.beyond %}

/* The first block of `list` that has `need` words and no more, or 0. */
static Index search_exact(const Heap *heap, Place list, Index need)
{
    Index block = load(heap, INDEX + list);

    while ((block != 0U) && (words_of(load(heap, block - 1U)) != need)) {
        block = load(heap, block);
    }
    return block;
}
{%- endif %}

/* A free block of the request's class, or 0. */
static Index index_find(const Heap *heap, Index need)
{
    const Place list = class_of(need);
{% if index.beyond %}
    return (list < CLASSES) ? search(heap, list, need) : search_exact(heap, CLASSES, need);
{%- else %}
    return (list < CLASSES) ? search(heap, list, need) : 0U;
{%- endif %}
}

/* A free block of a larger class, or 0: the region is full. */
static Index index_find_larger(const Heap *heap, Index need)
{
    const Place own = class_of(need);
    Index block = 0U;

    for (Place list = (own < CLASSES) ? (own + 1U) : CLASSES; (list < {{ index.lists }}U) && (block == 0U); list++) {
        block = search(heap, list, need);
    }
    return block;
}

/* Adds a free block. */
static void index_insert(Heap *heap, Index block, Index words)
{
    const Place list = list_floor(words);

    if (list != NO_LIST) {
        store(heap, block, load(heap, INDEX + list));
        store(heap, INDEX + list, block);
    }
}

/* Takes a free block out. */
static void index_remove(Heap *heap, Index block, Index words)
{
    const Place list = list_floor(words);

    if (list != NO_LIST) {
        Place link = INDEX + list;
        Index next = load(heap, link);

        while ((next != block) && (next != 0U)) {
            link = next;
            next = load(heap, link);
        }
        store(heap, link, load(heap, block));
    }
}

/* Verifies the lists: a block below the smallest class may be on none. */
static unsigned int index_check(const Heap *heap, Index top, Index free_blocks)
{
    Index left = free_blocks;

    for (Index list = 0U; list < {{ index.lists }}U; list++) {
        for (Index block = load(heap, INDEX + list); block != 0U; block = load(heap, block)) {
            if ((left == 0U) || (block < {{ first }}) || (block >= top) || is_used(load(heap, block - 1U)) ||
                (list_floor(words_of(load(heap, block - 1U))) != list)) {
                return 5U;
            }
            left--;
        }
    }
    return 0U;
}
