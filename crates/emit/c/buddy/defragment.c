
/* ---- Defragmentation on demand -----------------------------------------------------------------
 *
 * A window is a place for a block of the order that is asked for. That with the fewest used words is emptied:
 * each of its blocks moves to a free block of its own order. Where there is none, a window of that order is
 * emptied first, in the same way. Before anything moves has_room() says whether all movable blocks and the
 * new one have places together, so nothing moves for a request that is refused, and none is refused that
 * moving could serve.
 *
 * At most (k - l) * 2^k words move for a block of 2^k, l being MIN_ORDER, and no block is visited more than
 * 2^(k - l) times.
 *
 * Donahue, Hampton, Deters, Nye, Cytron and Kavi 2001, section 2.8; the windows and the bound are heapsmith's.
 */

/* Of a used block: it lies in a window that is being emptied. */
#define LEAVING 2U

/* A window that is being emptied, and the next of its blocks to look at. */
struct window {
    Index start;
    Index end;
    Index at;
};

/* Where the last block can end. */
static Index limit_of(const Heap *heap)
{
    return (((heap->length + HEAD + heap->shift) >> MIN_ORDER) << MIN_ORDER) - heap->shift;
}

/* The order of the largest block that may lie between `at` and `end`. */
static Index largest_at(const Heap *heap, Index at, Index end)
{
    const Index fits = logarithm(end - at);
    const Index starts = order_at(heap, at);

    return (starts < fits) ? starts : fits;
}

/* Adds the words of the largest places for blocks from `from` to `to`, by their orders up to `order`. */
static void add_roots(const Heap *heap, IN_LOOP Index *room, Index order, Index from, Index to)
{
    Index at = from;

    while (at < to) {
        const Index root = largest_at(heap, at, to);

        room[(root < order) ? root : order] += words_of_order(root);
        at += words_of_order(root);
    }
}

/* Whether all movable blocks and one of `order` have places together: for every order, the places of that
 * order and more have room for the blocks of that order and more. */
static bool has_room(const Heap *heap, Index order)
{
    IN_LOOP Index room[MAX_ORDER + 1U];
    const Index top = load(heap, TOP);
    Index root = heap->first;
    Index block = root;
    Index sum = 0U;

    for (Index of = 0U; of <= order; of++) {
        room[of] = 0U;
    }
    while (block < top) {
        const Index words = words_of(head_of(heap, block));

        if (is_used(head_of(heap, block))) {
            if (load(heap, block - OWNER) == 0U) {
                add_roots(heap, room, order, root, block);
                root = block + words;
            } else {
                /* Summands may fall below 0; their sums do not. */
                room[(order_of(words) < order) ? order_of(words) : order] -= words;
            }
        }
        block += words;
    }
    add_roots(heap, room, order, root, limit_of(heap));
    for (Index above = order + 1U; above > MIN_ORDER; above--) {
        sum += room[above - 1U];
        if (sum < words_of_order(order)) {
            return false;
        }
    }
    return true;
}

/* Makes what is left of the region free blocks, so that they take part. */
static void take_wilderness(Heap *heap)
{
    const Index limit = limit_of(heap);
    Index at = load(heap, TOP);

    while (at < limit) {
        const Index order = largest_at(heap, at, limit);

        set_top(heap, at + words_of_order(order));
        {{ "release" if pool.estranged else "insert" }}(heap, at, order);
        at += words_of_order(order);
    }
}

/* The window of `order` with the fewest used words, the lowest of several; 0 if there is none. */
static Index emptiest(const Heap *heap, Index order)
{
    const Index top = load(heap, TOP);
    Index best = 0U;
    Index fewest = ~(Index)0U;
    Index window = 0U;
    Index used = 0U;
    Index block = heap->first;

    while (block < top) {
        const Index head = head_of(heap, block);

        if (order_at(heap, block) >= order) {
            window = block;
            used = 0U;
        }
        if (is_used(head)) {
            used += words_of(head);
            if (((head & LEAVING) != 0U) || (words_of(head) >= words_of_order(order)) ||
                (load(heap, block - OWNER) == 0U)) {
                window = 0U;
            }
        }
        block += words_of(head);
        if ((window != 0U) && ((block - window) == words_of_order(order)) && (used < fewest)) {
            best = window;
            fewest = used;
        }
    }
    return best;
}

/* Begins to empty the least used window of `order`: its free blocks leave their lists, and all its blocks are
 * marked as used ones that leave it; those that were free have no owner. */
static void close_window(Heap *heap, Index order, struct window *window)
{
    window->start = emptiest(heap, order);
    {{ N }}_ASSERT(window->start != 0U);
    window->end = window->start + words_of_order(order);
    window->at = window->start;
    for (Index block = window->start; block < window->end; block += words_of(head_of(heap, block))) {
        const Index words = words_of(head_of(heap, block));

        if (!is_used(head_of(heap, block))) {
            remove_block(heap, block, order_of(words));
            store(heap, block - OWNER, 0U);
        }
        set_head(heap, block, order_of(words), USED | LEAVING);
    }
}

/* Copies a used block to a place of the same order, and updates its master word. */
static void relocate(Heap *heap, Index block, Index place, Index words)
{
    const Index owner = load(heap, block - OWNER);

    set_head(heap, place, order_of(words), USED);
    store(heap, place - OWNER, owner);
    store(heap, owner, place);
    copy(heap, place, block, ((size_t)words - HEAD) * WORD);
    heap->moved += words;
}

/* Moves every block of a window of `order` elsewhere; returns the window. The orders of windows in windows
 * descend, so there are never more than ORDERS. */
static Index empty_window(Heap *heap, Index order)
{
    struct window windows[ORDERS];
    Index depth = 0U;
    Index place = 0U; /* for the block that the innermost window is at */

    close_window(heap, order, &windows[0]);
    while (true) {
        struct window *const inner = &windows[depth];

        while ((inner->at < inner->end) && (load(heap, inner->at - OWNER) == 0U)) {
            inner->at += words_of(head_of(heap, inner->at));
        }
        if (inner->at == inner->end) {
            if (depth == 0U) {
                return inner->start;
            }
            place = inner->start;
            depth--;
        } else {
            const Index words = words_of(head_of(heap, inner->at));

            if (place == 0U) {
                place = find(heap, order_of(words));
            }
            if (place == 0U) {
                depth++;
                close_window(heap, order_of(words), &windows[depth]);
            } else {
                relocate(heap, inner->at, place, words);
                inner->at += words;
                place = 0U;
            }
        }
    }
}

/* A used block of `order` made by moving others; 0, and nothing is moved, if no arrangement has room for it. */
static Index defragment(Heap *heap, Index order)
{
    const Index before = heap->moved;
    Index block;

    if (!has_room(heap, order)) {
        return 0U;
    }
    take_wilderness(heap);
    block = empty_window(heap, order);
    use(heap, block, order);
{%- if not pool.estranged %}
    set_top(heap, retreat(heap, load(heap, TOP), ~(Index)0U));
{%- endif %}
    if (heap->moved != before) {
        heap->last_moved = heap->moved - before;
        if (heap->last_moved > heap->max_moved) {
            heap->max_moved = heap->last_moved;
        }
    }
    return block;
}
