
/* ---- Checks: check=header ---------------------------------------------------------------------
 *
 * A pointer is looked at before it is trusted, and so are the header before it, the header behind the block, and the
 * first link of a free block before it is taken. All of it takes constant time. A header that is swallowed by the
 * free block before is set to 0.
 */

/* Bytes that blocks are a multiple of, and what a header is then a multiple of but for its status. */
#define STEP_BYTES ((uintptr_t)GRANULE * WORD)
#define STEP_HEADER header(GRANULE, 0U)

{% include "heap_errors.c" %}

/* The words of a used block beyond the least that a block has, in units that blocks are a multiple of; more than any
 * region has for any other header: where the bit for used is missing, it is borrowed, and what is left over is rotated. */
static inline Index steps_beyond(Index head)
{
    const Index beyond = (head | PREVIOUS_USED) - header(GRANULE, USED | PREVIOUS_USED);

    return (beyond / STEP_HEADER) | (beyond * (~(Index)0U / STEP_HEADER + 1U));
}

/* Finds the used block at `pointer`. If there is none, `block` is what is wrong, less 1: no block begins at such an index,
 * control words do. */
{{ "static inline" if checks_by_call else "IN_PLACE" }} bool find_used(const Heap *heap, const void *pointer, Index *block)
{
    const uintptr_t steps = steps_to(heap, pointer);
    const Index limit = {{ "((load(heap, TOP) - " ~ first ~ ") / GRANULE)" if pool.granule > 1 else "load(heap, TOP) - " ~ first }};
    Index left;
    Index at;
    Index head;

    if (steps >= limit) {
        *block = {{ N }}_FOREIGN - 1U;
        return false;
    }
    left = limit - (Index)steps;
    at = {{ "((Index)steps * GRANULE)" if pool.granule > 1 else "(Index)steps" }} + {{ first }};
    head = load(heap, at - 1U);
    if ((steps_beyond(head) < left) &&
{%- if pool.tags %}
        ((load(heap, (at + words_of(head)) - 1U) & PREVIOUS_USED) != 0U)) {
{%- else %}
        ({{ size_of }}(load(heap, (at + words_of(head)) - 1U)) <= ({{ "(left * GRANULE)" if pool.granule > 1 else "left" }} - words_of(head)))) {
{%- endif %}
        *block = at;
        return true;
    }
{%- if marks %}
    if (((head & CACHED) != 0U) && (size_of(head) <= {{ "(left * GRANULE)" if pool.granule > 1 else "left" }})) {
        *block = {{ N }}_DOUBLE_FREE - 1U;
        return false;
    }
{%- endif %}
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
{%- if checks_links %}
{% include "pool/holds.c" %}

/* The free block that a search found; 0 if it is damaged, which is a heap error. */
IN_PLACE Index sound(Heap *heap, Index block)
{
    if ((block != 0U) && !index_holds(heap, block)) {
        damaged(heap, block);
        return 0U;
    }
    return block;
}

/* The same as a call, for what is rare. */
static Index sound_by_call(Heap *heap, Index block)
{
    return sound(heap, block);
}
{%- endif %}
