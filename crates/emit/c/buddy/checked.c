
/* ---- Checks: check=header ---------------------------------------------------------------------
 *
 * A pointer is looked at before it is trusted, and so are the header before it{% if not pool.one_block %}, the header behind the block{% endif %} and the first
 * link of a free block before it is taken. All of it takes constant time. A freed block's header says so before
 * the block is joined to another.
 */

/* Whether a header that is `head`, but for its status, may be that of a block at `block`: of a power of two and a multiple of it
 * no lower bit is set. */
IN_PLACE bool may_begin(const Heap *heap, Index block, Index head)
{
    return ((head | header(block + heap->shift, 0U)) & (head - 1U)) == 0U;
}

/* Whether a block with such a header fits before the wilderness. A size that is too small comes out too large, too. */
IN_PLACE bool fits(Index block, Index head, Index top)
{
    const Index smallest = header(words_of_order(MIN_ORDER), 0U);

    return (head - smallest) <= (header(top - block, 0U) - smallest);
}
{%- if not pool.one_block %}

/* Whether `end` is the wilderness, or has a header before it that may be one. */
IN_PLACE bool is_followed(const Heap *heap, Index end, Index top)
{
    return (end == top) || may_begin(heap, end, head_of(heap, end) & ~(Index)STATUS);
}
{%- endif %}

/* Finds the used block at `pointer`. If there is none, `block` is what is wrong, less 1: no block begins at such an index,
 * control words do. */
IN_PLACE bool find_used(const Heap *heap, const void *pointer, Index *block)
{
    const Index top = load(heap, TOP);
    const uintptr_t steps = steps_to(heap, pointer);
    const Index at = heap->first + ((Index)steps << MIN_ORDER);
    Index head;

    if (steps >= ((top - heap->first) >> MIN_ORDER)) {
        *block = {{ N }}_FOREIGN - 1U;
        return false;
    }
    head = head_of(heap, at);
    /* Any other status leaves a bit behind that no sound header has. */
    if (fits(at, head - USED, top) && may_begin(heap, at, head - USED)
{%- if not pool.one_block %} &&
        is_followed(heap, at + words_of(head), top)
{%- endif %}) {
        *block = at;
        return true;
    }
    *block = is_used(head) ? ({{ N }}_DAMAGED - 1U) : ({{ N }}_DOUBLE_FREE - 1U);
    return false;
}

/* The same as a call. */
static Index used_block(const Heap *heap, const void *pointer)
{
    Index block = 0U;

    (void)find_used(heap, pointer, &block);
    return block;
}
