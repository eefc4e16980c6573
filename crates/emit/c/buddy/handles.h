
/* ---- Movable blocks ----
 *
 * A movable block is known by a handle. Where a request finds no free block, but moving such blocks makes one, they are
 * moved: inside {{ n }}_allocate, {{ n }}_allocate_aligned, {{ n }}_reallocate and {{ n }}_allocate_movable,
 * and nowhere else. So an address from {{ n }}_get is good until the next of these calls; one from
 * {{ n }}_pin until {{ n }}_unpin. Blocks that were asked for by address never move.
 *
 * A request is refused only if no arrangement of the blocks that may move has room for it, and then nothing moves.
 */

/* A movable block. Its field is private; 0 in it means none. */
typedef struct {{ n }}_handle {
    {{ index_type }} master;
} {{ n }}_handle;

/* Makes room for `handles` more handles; false, with fewer, if there is none. Called right after {{ n }}_init it
 * keeps their words, which never move, together at the beginning; else they are made as they are needed, between
 * other blocks, and may stand in the way of a large one. */
bool {{ n }}_reserve_handles({{ n }} *heap, size_t handles);

/* A movable block of at least `size` bytes; none if there is no room, and for a size of 0. */
{{ n }}_handle {{ n }}_allocate_movable({{ n }} *heap, size_t size);

/* Frees a movable block, pinned or not, and its handle; none is none. */
void {{ n }}_free_movable({{ n }} *heap, {{ n }}_handle handle);

/* The address of a movable block, until the next call that may move it. */
void *{{ n }}_get(const {{ n }} *heap, {{ n }}_handle handle);

/* Keeps a movable block where it is, and returns its address. Pins do not nest. */
void *{{ n }}_pin({{ n }} *heap, {{ n }}_handle handle);

/* Lets the block be moved again. */
void {{ n }}_unpin({{ n }} *heap, {{ n }}_handle handle);

/* The most bytes that one request for `size` bytes may move, headers included; 0 for a size that no block has. */
size_t {{ n }}_max_moved(size_t size);

