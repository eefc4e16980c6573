
/* ---- Checks: check=header ---------------------------------------------------------------------
 *
 * A pointer is looked at before it is trusted, and so are the header before it{% if not pool.one_block %}, the header behind the block{% endif %} and the first
 * link of a free block before it is taken. All of it takes constant time. A freed block's header says so before
 * the block is joined to another.
 */

/* Whether a block with this header may begin at `block`. */
static bool is_sound(const Heap *heap, Index block, Index head, Index top)
{
    const Index min = words_of_order(MIN_ORDER);
    const Index words = words_of(head);

    /* A size that is too small comes out too large, too; of a power of two and a multiple of it, no lower bit is set. */
    return ((words - min) <= ((top - block) - min)) && (((words | (block + heap->shift)) & (words - 1U)) == 0U);
}
{%- if not pool.one_block %}

/* Whether `end` is the wilderness, or has a header before it that may be one. */
static bool is_followed(const Heap *heap, Index end, Index top)
{
    return (end == top) || (((head_of(heap, end) & STATUS) != STATUS) && is_sound(heap, end, head_of(heap, end), top));
}
{%- endif %}

/* The used block at `pointer`. If there is none, what is wrong, less 1: no block begins at such an index, control words do. */
static Index used_block(const Heap *heap, const void *pointer)
{
    const Index top = load(heap, TOP);
    const uintptr_t steps = steps_to(heap, pointer);
    Index block;
    Index head;

    if (steps >= ((top - heap->first) >> MIN_ORDER)) {
        return {{ N }}_FOREIGN - 1U;
    }
    block = heap->first + ((Index)steps << MIN_ORDER);
    head = head_of(heap, block);
    if (((head & STATUS) == USED) && is_sound(heap, block, head, top)
{%- if not pool.one_block %} &&
        is_followed(heap, block + words_of(head), top)
{%- endif %}) {
        return block;
    }
    return is_used(head) ? ({{ N }}_DAMAGED - 1U) : ({{ N }}_DOUBLE_FREE - 1U);
}
