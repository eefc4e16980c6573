
/* ---- The layer: free lists for chosen sizes ---------------------------------------------------
 *
 * A freed block of a listed size waits on its list for the next request of that size. It stays used
 * in the eyes of the pool, so it is neither split nor coalesced. When the pool cannot serve a
 * request, {% if layer.flush %}at most {{ layer.flush }} of the blocks return{% else %}every list returns its blocks{% endif %} to it and the request is tried again{% if pool.apart %}; then the pool joins what
 * freeing left apart, and it is tried for the last time{% endif %}.
{%- if layer.flush %} A request may be refused
 * while other blocks wait: asked again, it returns more of them.
{%- endif %}
{%- if layer.magazine %} Each list is a
 * magazine: an array of places in the control words, whose head counts the blocks. A block for which there is no place goes to
 * the pool.
{%- endif %}
 *
 * L1  Every block on a list is used in the pool and has exactly the list's size.
 * L2  A {% if layer.magazine %}magazine has no more blocks than places{% else %}list does not run in a circle{% endif %}{% if layer.fifo %}; its tail names its last block{% endif %}.
 *
 * Mamagkakis et al. 2006, section 4; Wilson, Johnstone, Neely and Boles 1995 (quick lists){% if layer.magazine %}; Bonwick and Adams 2001
 * (magazines){% endif %}.
 */

#define FREELISTS {{ layer.lists }}U
{%- if layer.flush %}
#define FREELISTS_FLUSH {{ layer.flush }}U
{%- endif %}
#define FREELIST_HEADS {% if index.by_region %}LAYERS{% else %}{{ layer.at }}U{% endif %}
{%- if layer.fifo %}
#define FREELIST_TAILS (FREELIST_HEADS + FREELISTS)
{%- endif %}
{%- if layer.magazine %}
#define FREELIST_PLACES {{ layer.magazine }}U
{%- endif %}
{% set map = layer.map %}
{% include "sizes.c" %}

{%- if layer.magazine %}

/* The control word of a place in the magazine of a list. */
static inline Place freelist_place(const Heap *heap, Place list, Index at)
{
{%- if not index.by_region %}
    (void)heap;
{%- endif %}
    return FREELIST_HEADS + FREELISTS + (list * FREELIST_PLACES) + (Place)at;
}
{%- endif %}

{%- if marks %}
/* Notes in the header of the first block of a list, of `words` words, that it leaves it. If it is no such block, that is a
 * heap error: the blocks of the list are given up. */
IN_PLACE bool freelist_unmark(Heap *heap, Place list, Index words, Index block)
{
    if ({% if layer.magazine %}(block != 0U) && ({% endif %}block < load(heap, TOP){% if layer.magazine %}){% endif %}) {
        const Index head = load(heap, block - 1U) ^ CACHED;

        if (words_of(head) == words) {
            store(heap, block - 1U, head);
            return true;
        }
    }
    damaged(heap, block);
    store(heap, FREELIST_HEADS + list, 0U);
{%- if layer.fifo %}
    store(heap, FREELIST_TAILS + list, 0U);
{%- endif %}
    return false;
}

/* Takes the first block of a list of blocks of `words` words, or 0. */
IN_PLACE Index freelist_take(Heap *heap, Place list, Index words)
{
{%- if layer.magazine %}
    const Index count = load(heap, FREELIST_HEADS + list);
    Index block;

    if (count == 0U) {
        return 0U;
    }
    block = (count <= FREELIST_PLACES) ? load(heap, freelist_place(heap, list, count - 1U)) : 0U;
    if (!freelist_unmark(heap, list, words, block)) {
        return 0U;
    }
    store(heap, FREELIST_HEADS + list, count - 1U);
    return block;
{%- else %}
    const Index block = load(heap, FREELIST_HEADS + list);
    Index next;

    if ((block == 0U) || !freelist_unmark(heap, list, words, block)) {
        return 0U;
    }
    next = load(heap, block);
    store(heap, FREELIST_HEADS + list, next);
{%- if layer.fifo %}
    if (next == 0U) {
        store(heap, FREELIST_TAILS + list, 0U);
    }
{%- endif %}
    return block;
{%- endif %}
}

/* The same as a call, for what is rare. */
static inline Index freelist_pop(Heap *heap, Place list)
{
    return freelist_take(heap, list, freelist_words(list));
}
{%- else %}
/* Takes the first block of a list, or 0. */
static inline Index freelist_pop(Heap *heap, Place list)
{
{%- if layer.magazine %}
    const Index count = load(heap, FREELIST_HEADS + list);

    if (count == 0U) {
        return 0U;
    }
    store(heap, FREELIST_HEADS + list, count - 1U);
    return load(heap, freelist_place(heap, list, count - 1U));
{%- else %}
    const Index block = load(heap, FREELIST_HEADS + list);

    if (block != 0U) {
        const Index next = load(heap, block);

        store(heap, FREELIST_HEADS + list, next);
{%- if layer.fifo %}
        if (next == 0U) {
            store(heap, FREELIST_TAILS + list, 0U);
        }
{%- endif %}
    }
    return block;
{%- endif %}
}
{%- endif %}
{%- if layer.magazine %}

/* Whether a magazine has a place for one more block. */
static inline bool freelist_has_place(const Heap *heap, Place list)
{
    return load(heap, FREELIST_HEADS + list) < FREELIST_PLACES;
}
{%- endif %}

/* Puts a block{% if marks %}, whose header was read,{% endif %} on a list{% if layer.magazine %} that has a place for it{% endif %}. */
static inline void freelist_push(Heap *heap, Place list, Place block{% if marks %}, Index head{% endif %})
{
{%- if layer.fifo %}
    const Index last = load(heap, FREELIST_TAILS + list);
{% elif layer.magazine %}
    const Index count = load(heap, FREELIST_HEADS + list);
{% endif %}
{%- if marks %}
    store(heap, block - 1U, head | CACHED);
{%- endif %}
{%- if layer.fifo %}
    store(heap, block, 0U);
    store(heap, (last == 0U) ? (FREELIST_HEADS + list) : last, (Index)block);
    store(heap, FREELIST_TAILS + list, (Index)block);
{%- elif layer.magazine %}
    store(heap, freelist_place(heap, list, count), (Index)block);
    store(heap, FREELIST_HEADS + list, count + 1U);
{%- else %}
    store(heap, block, load(heap, FREELIST_HEADS + list));
    store(heap, FREELIST_HEADS + list, (Index)block);
{%- endif %}
}
{% if layer.flush %}
/* Flushes cached blocks into the pool, at most FREELISTS_FLUSH. Returns whether there was one. */
static bool freelists_flush(Heap *heap)
{
    Index left = FREELISTS_FLUSH;

    for (Place list = 0U; (list < FREELISTS) && (left != 0U); list++) {
        Index block = freelist_pop(heap, list);

        while (block != 0U) {
            left--;
            pool_release(heap, block, load(heap, block - 1U));
            block = (left != 0U) ? freelist_pop(heap, list) : 0U;
        }
    }
    return left != FREELISTS_FLUSH;
}
{%- else %}
/* Flushes every cached block into the pool. Returns whether there was one. */
static bool freelists_flush(Heap *heap)
{
    bool any = false;

    for (Place list = 0U; list < FREELISTS; list++) {
        Index block = freelist_pop(heap, list);

        while (block != 0U) {
            any = true;
            pool_release(heap, block, load(heap, block - 1U));
            block = freelist_pop(heap, list);
        }
    }
    return any;
}
{%- endif %}

/* Serves a request that the pool refused, after a flush{% if pool.apart %}; then once more after the pool joined its blocks{% endif %}. */
static Index freelists_after_flush(Heap *heap, size_t size, size_t alignment)
{
    Index block = 0U;

    if (freelists_flush(heap)) {
        /* The request itself, no longer rounded up to a list's size. */
        block = pool_allocate_apart(heap, size, alignment);
    }
{%- if pool.apart %}
    if (block == 0U) {
        block = pool_allocate_joined(heap, size, alignment);
    }
{%- endif %}
    return block;
}

/* Serves a request for an alignment of its own. */
RARE Index freelists_apart(Heap *heap, size_t size, size_t alignment)
{
    const Index block = pool_allocate_apart(heap, size, alignment);

    return (block != 0U) ? block : freelists_after_flush(heap, size, alignment);
}

/* Serves a request for which no list has a block. */
SELDOM Index freelists_miss(Heap *heap, size_t size, size_t alignment)
{
    Index need = pool_need(size);
    Place list;
    Index block;

    if (need == 0U) {
        return 0U;
    }
    list = freelist_of(need);
    if (list < FREELISTS) {
        need = freelist_words(list);
    }
    block = pool_allocate_words(heap, {% if pool.split_from %}size, {% endif %}need);
    return (block != 0U) ? block : freelists_after_flush(heap, size, alignment);
}

/* The block that waits for a request, or 0. */
static inline Place freelists_hit(Heap *heap, size_t size)
{
{%- if layer.map.by_size %}
    if ((size - 1U) < {{ layer.map.by_size.largest }}U) {
        const Place list = freelist_for(size);
{% else %}
    const Index need = pool_need(size);

    if (need != 0U) {
        const Place list = freelist_of(need);
{% endif %}
{%- if layer.map.by_size and not layer.map.by_size.misses %}
        return {% if marks %}freelist_take(heap, list, freelist_words(list)){% else %}freelist_pop(heap, list){% endif %};
{%- else %}
        if (list < FREELISTS) {
            return {% if marks %}freelist_take(heap, list, freelist_words(list)){% else %}freelist_pop(heap, list){% endif %};
        }
{%- endif %}
    }
    return 0U;
}

static inline Index freelists_allocate(Heap *heap, size_t size, size_t alignment)
{
    Index block;

    if ((alignment > ALIGNMENT) || ((alignment & (alignment - 1U)) != 0U)) {
        return freelists_apart(heap, size, alignment);
    }
    block = (Index)freelists_hit(heap, size);
    return (block != 0U) ? block : freelists_miss(heap, size, alignment);
}

/* Frees a block that no list holds{% if layer.magazine %}, or for which it has no place{% endif %}. */
SELDOM void freelists_release(Heap *heap, Place block)
{
    pool_release(heap, (Index)block, load(heap, block - 1U));
}

static inline void freelists_free(Heap *heap, Place block)
{
    const Index head = load(heap, block - 1U);
    const Place list = freelist_holding(words_of(head));

    if ({% if layer.magazine %}(list < FREELISTS) && freelist_has_place(heap, list){% else %}list < FREELISTS{% endif %}) {
        freelist_push(heap, list, block{% if marks %}, head{% endif %});
    } else {
        freelists_release(heap, block);
    }
}

static unsigned int freelists_check(const Heap *heap)
{
    const unsigned int broken = pool_check(heap);
    const Index top = load(heap, TOP);

    if (broken != 0U) {
        return broken;
    }
    for (Place list = 0U; list < FREELISTS; list++) {
{%- if layer.magazine %}
        const Index count = load(heap, FREELIST_HEADS + list);

        if (count > FREELIST_PLACES) {
            return 12U;
        }
        for (Index at = 0U; at < count; at++) {
            const Index block = load(heap, freelist_place(heap, list, at));

{%- else %}
        Index left = top;
{%- if layer.fifo %}
        Index last = 0U;
{%- endif %}

        for (Index block = load(heap, FREELIST_HEADS + list); block != 0U; block = load(heap, block)) {
            if (left == 0U) {
                return 12U;
            }
{%- endif %}
            if ((block < {{ first }}) || (block >= top) || !is_used(load(heap, block - 1U)) ||
                (words_of(load(heap, block - 1U)) != {% if marks %}(freelist_words(list) | words_of(CACHED)){% else %}freelist_words(list){% endif %})) {
                return 11U;
            }
{%- if not layer.magazine %}
            left--;
{%- endif %}
{%- if layer.fifo %}
            last = block;
{%- endif %}
        }
{%- if layer.fifo %}
        if (load(heap, FREELIST_TAILS + list) != last) {
            return 12U;
        }
{%- endif %}
    }
    return 0U;
}
