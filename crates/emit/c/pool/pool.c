{%- set smallest = "REMAINDER" if pool.splits and pool.remainder else "MIN_BLOCK" %}

/* ---- The pool: splits blocks and extends the wilderness ---------------------------------------
 *
 *   | control | block | block | ... | 0 | wilderness |
 *                                     ^ header of size 0, the word before TOP
 *
 * I1  The blocks tile the region from the first to the wilderness, in multiples of the granule.
{%- if pool.tags %}
 * I2  P of every header is the status of the block before.
 * I3  The last word of every free block is its size.
{%- endif %}
{%- if pool.touches_never %}
 * I4  No two free blocks touch, and none touches the wilderness.
{%- elif pool.apart %}
 * I4  From a sweep until a block is freed and left apart, no two free blocks touch, and none touches the wilderness.
{%- endif %}
 *
 * Knuth 1968, section 2.5; Wilson, Johnstone, Neely and Boles 1995.
 */

/* Lets the wilderness begin at `top`; `flags` tell of the block before. */
static void set_top(Heap *heap, Index top, Index flags)
{
    store(heap, top - 1U, header(0U, USED | flags));
    store(heap, TOP, top);
    if (top > load(heap, HIGH)) {
        store(heap, HIGH, top);
    }
}

/* Writes the header{% if pool.tags %} and the tag{% endif %} of a free block. */
{{ in_place }} void write_free(Heap *heap, Index block, Index words, Index flags)
{
    store(heap, block - 1U, header(words, flags));
{%- if pool.tags %}
    store(heap, (block + words) - 2U, words);
{%- endif %}
}
{%- if pool.tags %}

/* Notes in `block` whether the block before it is used. */
static void tell_next(Heap *heap, Index block, bool used)
{
    const Index head = load(heap, block - 1U);

    store(heap, block - 1U, used ? (head | PREVIOUS_USED) : (head & ~(Index)PREVIOUS_USED));
}
{%- endif %}

/* Makes a used block of the first `words` words of the wilderness, which begins at `top`. */
static void extend(Heap *heap, Index top, Index words)
{
    const Index flags = load(heap, top - 1U) & PREVIOUS_USED;

    store(heap, top - 1U, header(words, USED | flags));
    set_top(heap, top + words, PREVIOUS_USED);
}

/* Takes a free block for a request that needs `need` words{% if pool.splits %}, and splits off the rest
{%- if pool.split_from %} if the request
 * is large enough{% endif %}{% endif %}. */
static void take(Heap *heap, Index block, Index need{% if pool.split_from %}, size_t size{% endif %})
{
    const Index head = load(heap, block - 1U);
{%- if pool.splits or index.by_size or pool.tags %}
    const Index words = words_of(head);
{%- endif %}
{%- if pool.splits %}

    if ({% if pool.split_from %}((words - need) >= {{ smallest }}) && (size >= SPLIT_FROM){% else %}(words - need) >= {{ smallest }}{% endif %}) {
        const Index remainder = block + need;
{% if index.kind == "list" %}
        store(heap, block - 1U, header(need, USED | (head & PREVIOUS_USED)));
        index_replace(heap, block, remainder);
        write_free(heap, remainder, words - need, PREVIOUS_USED);
{%- elif index.by_size %}
        store(heap, block - 1U, header(need, USED | (head & PREVIOUS_USED)));
        index_remove(heap, block, words);
        index_insert(heap, remainder, words - need);
        write_free(heap, remainder, words - need, PREVIOUS_USED);
{%- else %}
        store(heap, block - 1U, header(need, USED | (head & PREVIOUS_USED)));
        write_free(heap, remainder, words - need, PREVIOUS_USED);
{%- endif %}
        return;
    }
{%- else %}

    (void)need; /* the whole block serves */
{%- endif %}
{%- if index.linked %}
    {{ remove("block", "words") }};
{%- endif %}
    store(heap, block - 1U, head | USED);
{%- if pool.tags %}
    tell_next(heap, block + words, true);
{%- endif %}
}
