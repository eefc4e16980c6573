
/* ---- Doubly linked lists of free blocks -------------------------------------------------------
 *
 *   block at     | next, 0: last      |
 *   block at+1   | previous, 0: first |
 *
 * `head` is the control word of the first block{% if chain.tail %}, the word after it that of the last{% endif %}.
 */

#define NEXT 0U
#define PREVIOUS 1U
{%- if chain.after or chain.back or chain.replace or chain.unlink %}

/* Makes `previous` point forward at `forward`, and `next` back at `back`. */
static void chain_point(Heap *heap, Index head, Index previous, Index next, Index forward, Index back)
{
    store(heap, (previous == 0U) ? head : (previous + NEXT), forward);
    if (next != 0U) {
        store(heap, next + PREVIOUS, back);
    }
{%- if chain.tail %} else {
        store(heap, head + 1U, back);
    }
{%- endif %}
}
{%- endif %}
{%- if chain.front %}

/* Links `block` in front. */
static void chain_push_front(Heap *heap, Index head, Index block)
{
    const Index next = load(heap, head);

    store(heap, block + NEXT, next);
    store(heap, block + PREVIOUS, 0U);
    store(heap, head, block);
    if (next != 0U) {
        store(heap, next + PREVIOUS, block);
    }
}
{%- endif %}
{%- if chain.after %}

/* Links `block` after `previous`; 0 is the front. */
static void chain_insert_after(Heap *heap, Index head, Index previous, Index block)
{
    const Index next = load(heap, (previous == 0U) ? head : (previous + NEXT));

    store(heap, block + NEXT, next);
    store(heap, block + PREVIOUS, previous);
    chain_point(heap, head, previous, next, block, block);
}
{%- endif %}
{%- if chain.back %}

/* Links `block` at the end. */
static void chain_push_back(Heap *heap, Index head, Index block)
{
    const Index last = load(heap, head + 1U);

    store(heap, block + NEXT, 0U);
    store(heap, block + PREVIOUS, last);
    chain_point(heap, head, last, 0U, block, block);
}
{%- endif %}
{%- if chain.unlink %}

/* Takes `block` out and returns the block that followed it. */
static Index chain_unlink(Heap *heap, Index head, Index block)
{
    const Index next = load(heap, block + NEXT);
    const Index previous = load(heap, block + PREVIOUS);

    chain_point(heap, head, previous, next, next, previous);
    return next;
}
{%- endif %}
{%- if chain.replace %}

/* Puts `with` where `old` is. They may overlap. */
static void chain_replace(Heap *heap, Index head, Index old, Index with)
{
    const Index next = load(heap, old + NEXT);
    const Index previous = load(heap, old + PREVIOUS);

    store(heap, with + NEXT, next);
    store(heap, with + PREVIOUS, previous);
    chain_point(heap, head, previous, next, with, with);
}
{%- endif %}

/* Verifies the links of a list whose blocks lie below `top`; `left` blocks may be on it, and it takes
 * those that are off `left`. Returns the number of the broken invariant, or 0. */
static unsigned int chain_check(const Heap *heap, Index head, Index top, Index *left)
{
    Index previous = 0U;
    Index block = load(heap, head);

    while (block != 0U) {
        if ((*left == 0U) || (block < {{ first }}) || (block >= top) || is_used(load(heap, block - 1U)) ||
            (words_of(load(heap, block - 1U)) < MIN_BLOCK)) {
            return 5U;
        }
        if (load(heap, block + PREVIOUS) != previous) {
            return 5U;
        }
        *left -= 1U;
        previous = block;
        block = load(heap, block + NEXT);
    }
{%- if chain.tail %}
    if (load(heap, head + 1U) != previous) {
        return 5U;
    }
{%- endif %}
    return 0U;
}
