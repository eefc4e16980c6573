
/* ---- The pool: a buddy system ------------------------------------------------------------------
 *
{%- if pool.one_block %}
 *   | control | table | | one free block at first, a power of two |
 *     lists     a byte for each place of a smallest block         ^ TOP
 *
 * A block of order k has 2^k words and no header: a byte of the table has its order and its state. Its position,
 * counted in words from the one block, is a multiple of 2^k; so its buddy's differs in bit k alone.
{%- else %}
 *   | control | 2 | 3    | 4            | 4            | wilderness |
 *     lists     orders ascend, then as requested         ^ TOP
 *
 * A block of order k has 2^k words, header included. Its position, counted in words from the last multiple
 * of GRID bytes at or before the region, is a multiple of 2^k; so its buddy's differs in bit k alone.
{%- endif %}
{%- if pool.estranged %}
 * Free buddies stay apart until a request needs them joined: a block whose buddy is used is on a list of
 * its order, of two free buddies the lower is on another. Both are marked PAIRED.
{%- else %}
 * Free buddies become one at once.
{%- endif %}
 *
 * B1  The blocks tile the region; each has 2^k words and a position that is a multiple of that.
 * B2  Every free block is on the one list for it, linked both ways.
{%- if pool.estranged %}
 * B4  A free block is marked if and only if its buddy is free.
{%- else %}
 * B3  No two free blocks are buddies{% if not pool.one_block %}, and none is the buddy of the wilderness{% endif %}.
{%- endif %}
{%- if pool.bounded %}
 * B7  As many pairs wait to be joined as are counted, and no more than MAX_PAIRS.
{%- endif %}
{%- if pool.handles %}
 * B6  The owner word of a used block is 0, or names a master word that names the block.
{%- endif %}
 *
 * Knuth 1968, section 2.5; Donahue, Hampton, Deters, Nye, Cytron and Kavi 2001.
 */

{% include "header.c" %}
{%- if pool.estranged %}
/* Of a free block: its buddy is free, too. */
#define PAIRED 2U
{%- endif %}
#define GRID 4096U
#define MIN_ORDER {{ pool.min_order }}U
#define MAX_ORDER {{ pool.max_order }}U
{%- if pool.estranged or pool.handles %}
#define ORDERS ((MAX_ORDER + 1U) - MIN_ORDER)
{%- endif %}
{%- if pool.handles %}
/* Words of a header: of a used block, the owner word and the words of the block. */
#define HEAD 2U
{%- elif pool.one_block %}
/* Words of a header, and the first byte of the table. */
#define HEAD 0U
#define TABLE ((size_t)CONTROL * WORD)
/* Bits of an entry below the order. */
#define ENTRY_FLAGS 2U
{%- else %}
#define HEAD 1U
{%- endif %}
{%- if pool.bounded %}
/* The most pairs of free buddies that wait to be joined. */
#define MAX_PAIRS {{ pool.max_pairs }}U
{%- endif %}
{%- if pool.handles %}
/* Words from the owner word to the payload. */
#define OWNER 2U
{%- endif %}
#define NEXT 0U
#define PREVIOUS 1U
{%- if checked %}
/* The bits of a header below its words. */
#define STATUS 3U
/* Bytes that blocks are a multiple of. */
#define STEP_BYTES ((uintptr_t)WORD << MIN_ORDER)

{% include "heap_errors.c" %}
{%- endif %}

static inline Index words_of_order(Index order)
{
    return (Index)1U << order;
}

/* The order of a block of this many words. */
static inline Index order_of(Index words)
{
    return lowest_bit(words);
}
{%- if pool.one_block %}

/* The byte that replaces the header of a block. */
{{ in_place if checked else "static inline" }} unsigned char *entry_of(const Heap *heap, Index block)
{
    /* cppcheck-suppress misra-c2012-11.8 ; the words are not constant, only the heap that names them is */
    return &((unsigned char *)heap->words)[TABLE + ((size_t)(block - heap->first) >> MIN_ORDER)];
}
{%- endif %}

/* The header of a block. */
{{ in_place if checked else "static inline" }} Index head_of(const Heap *heap, Index block)
{
{%- if pool.one_block %}
    const Index entry = *entry_of(heap, block);

    return header(words_of_order(entry >> ENTRY_FLAGS), entry & 3U);
{%- else %}
    return load(heap, block - 1U);
{%- endif %}
}

/* Writes the header of a block of `order`. */
static inline void set_head(Heap *heap, Index block, Index order, Index flags)
{
{%- if pool.one_block %}
    *entry_of(heap, block) = (unsigned char)((order << ENTRY_FLAGS) | flags);
{%- else %}
    store(heap, block - 1U, header(words_of_order(order), flags));
{%- endif %}
}

{%- if checked %}

/* Notes in the header of a used block that it is free. */
static inline void mark_free(Heap *heap, Index block, Index head)
{
{%- if pool.one_block %}
    (void)head;
    *entry_of(heap, block) ^= (unsigned char)USED;
{%- else %}
    store(heap, block - 1U, head ^ USED);
{%- endif %}
}
{%- endif %}

/* The order of the largest block that may begin at `at`. */
static inline Index order_at(const Heap *heap, Index at)
{
    return lowest_bit(at + heap->shift);
}

/* The head of the list of blocks of `order`{% if pool.estranged %} whose buddy is used{% endif %}. */
static inline Index list_for(Index order)
{
    return INDEX + (order - MIN_ORDER);
}
{%- if pool.estranged %}

/* The head of the list of the lower of two free buddies of `order`. */
static inline Index pairs_of(Index order)
{
    return INDEX + ORDERS + (order - MIN_ORDER);
}
{%- endif %}

/* The order of the block that serves a request, or NO_ORDER. */
#define NO_ORDER (MAX_ORDER + 1U)
static Index order_for(size_t size, size_t alignment)
{
    Index order;

    if ((size == 0U) || is_too_large(size) || (alignment > GRID) || ((alignment & (alignment - 1U)) != 0U)) {
        return NO_ORDER;
    }
{%- if pool.one_block %}
    order = (((Index)size + (WORD - 1U)) / WORD);
    order = (order > 1U) ? (logarithm(order - 1U) + 1U) : 0U;
{%- else %}
    order = logarithm((((Index)size + (WORD - 1U)) / WORD) + (HEAD - 1U)) + 1U;
{%- endif %}
    if ((alignment > WORD) && (logarithm((Index)(alignment / WORD)) > order)) {
        order = logarithm((Index)(alignment / WORD));
    }
    if (order < MIN_ORDER) {
        order = MIN_ORDER;
    }
    return (order < NO_ORDER) ? order : NO_ORDER;
}

static void set_top(Heap *heap, Index top)
{
    store(heap, TOP, top);
    if (top > load(heap, HIGH)) {
        store(heap, HIGH, top);
    }
}

static void push(Heap *heap, Index list, Index block)
{
    const Index next = load(heap, list);

    store(heap, block + NEXT, next);
    store(heap, block + PREVIOUS, 0U);
    if (next != 0U) {
        store(heap, next + PREVIOUS, block);
    }
    store(heap, list, block);
}

{%- if checked %}
/* Takes the first block off its list; 0 if it is damaged, which is a heap error. */
static Index take_first(Heap *heap, Index list, Index block)
{
    const Index next = load(heap, block + NEXT);

    if (next != 0U) {
        if (((next + PREVIOUS) >= heap->length) || (load(heap, next + PREVIOUS) != block)) {
            damaged(heap, block);
            return 0U;
        }
        store(heap, next + PREVIOUS, 0U);
    }
    store(heap, list, next);
    return block;
}

/* Takes the first block off a list, or 0. A list that is empty is not worth a call. */
IN_PLACE Index pop(Heap *heap, Index list)
{
    const Index block = load(heap, list);

    return (block == 0U) ? 0U : take_first(heap, list, block);
}
{%- else %}
/* Takes the first block off a list, or 0. */
static Index pop(Heap *heap, Index list)
{
    const Index block = load(heap, list);

    if (block != 0U) {
        const Index next = load(heap, block + NEXT);

        store(heap, list, next);
        if (next != 0U) {
            store(heap, next + PREVIOUS, 0U);
        }
    }
    return block;
}
{%- endif %}

static void unlink_block(Heap *heap, Index list, Index block)
{
    const Index next = load(heap, block + NEXT);
    const Index previous = load(heap, block + PREVIOUS);

    store(heap, (previous == 0U) ? list : previous, next);
    if (next != 0U) {
        store(heap, next + PREVIOUS, previous);
    }
}

/* The buddy, if all of it lies between the first block and the wilderness; else 0. */
static Index buddy_of(const Heap *heap, Index block, Index order, Index top)
{
    const Index buddy = ((block + heap->shift) ^ words_of_order(order)) - heap->shift;
    const bool inside = (buddy >= heap->first) && (buddy < top) && ((buddy + words_of_order(order)) <= top);

    return inside ? buddy : 0U;
}

/* Whether `block` is a free block of `order`. */
static bool is_free_of(const Heap *heap, Index block, Index order)
{
    const Index head = head_of(heap, block);

    return !is_used(head) && (words_of(head) == words_of_order(order));
}

/* Makes a block a used one{% if pool.handles %}, which belongs to no handle{% endif %}. */
static void use(Heap *heap, Index block, Index order)
{
    set_head(heap, block, order, USED);
{%- if pool.handles %}
    store(heap, block - OWNER, 0U);
{%- endif %}
}

/* Makes a block free next to a buddy that is not. */
static void insert(Heap *heap, Index block, Index order)
{
    set_head(heap, block, order, 0U);
    push(heap, list_for(order), block);
}

/* Takes a free block off its list. */
static void remove_block(Heap *heap, Index block, Index order)
{
{%- if pool.estranged %}
    if ((head_of(heap, block) & PAIRED) == 0U) {
        unlink_block(heap, list_for(order), block);
    } else {
        const bool lower = (order_at(heap, block) > order);
        const Index other = lower ? (block + words_of_order(order)) : (block - words_of_order(order));

        unlink_block(heap, pairs_of(order), lower ? block : other);
{%- if pool.bounded %}
        heap->pairs--;
{%- endif %}
        insert(heap, other, order);
    }
{%- else %}
    unlink_block(heap, list_for(order), block);
{%- endif %}
}
{%- if not pool.one_block %}

/* The block that, once free, joins a wilderness that begins at `top`: the buddy of its first block, or,
 * where that is cut off, what is left of it; 0 if there is none. */
static Index block_before(const Heap *heap, Index top)
{
    const Index order = order_at(heap, top);
    Index block = heap->first;

    if ((top - heap->first) >= words_of_order(order)) {
        return top - words_of_order(order);
    }
    while (block < top) {
        const Index words = words_of_order(order_at(heap, block));

        if ((block + words) == top) {
            return block;
        }
        block += words;
    }
    return 0U;
}

/* Where the wilderness begins once the free blocks that touch it and complete it have joined it, up to a
 * place for a block of order `below`; it begins at `from` before. */
static Index retreat(Heap *heap, Index from, Index below)
{
    Index top = from;
    bool joins = true;

    while (joins && (order_at(heap, top) < below)) {
        const Index block = block_before(heap, top);

        joins = (block != 0U) && is_free_of(heap, block, order_of(top - block));
        if (joins) {
            remove_block(heap, block, order_of(top - block));
            top = block;
        }
    }
    return top;
}
{%- endif %}

/* Cuts a block of order `from` down to `order`; the upper halves become free. */
static void split(Heap *heap, Index block, Index from, Index order)
{
    for (Index half = from; half > order; half--) {
        insert(heap, block + words_of_order(half - 1U), half - 1U);
    }
}

/* The largest order of any block. */
static Index highest(const Heap *heap)
{
    const Index words = load(heap, TOP) - heap->first;
    const Index order = (words > 1U) ? logarithm(words) : 0U;

    return (order > MIN_ORDER) ? order : MIN_ORDER;
}
