{%- if not pool.one_block %}

/* Extends the wilderness by a block of `order`, or returns 0; what is skipped before it becomes free blocks. */
static Index grow(Heap *heap, Index order)
{
    Index top = load(heap, TOP);
    Index block;
    Index end;
{% if pool.estranged %}
    const Index lower = retreat(heap, top, order);

    if (lower != top) {
        top = lower;
        set_top(heap, top);
    }
{%- endif %}
    block = ((top + heap->shift + (words_of_order(order) - 1U)) & ~(words_of_order(order) - 1U)) - heap->shift;
    end = block + words_of_order(order);
    if ((end - HEAD) > heap->length) {
        return 0U;
    }
    while (top < block) {
        const Index skipped = order_at(heap, top);

        insert(heap, top, skipped);
        top += words_of_order(skipped);
    }
    set_top(heap, end);
    return block;
}
{%- endif %}
{%- if pool.handles %}
{% include "buddy/defragment.c" %}
{%- endif %}

/* A used block of `order`, or 0. */
static Index allocate_order(Heap *heap, Index order)
{
    Index block = find(heap, order);
{%- if not pool.one_block %}
    if (block == 0U) {
        block = grow(heap, order);
    }
{%- endif %}
{%- if pool.grows_first %}
    if (block == 0U) {
        block = glue(heap, order); /* step 5 */
    }
    if (block == 0U) {
        /* What was glued may have joined the wilderness. */
        block = grow(heap, order);
    }
{%- endif %}
{%- if pool.handles %}
    if (block == 0U) {
        block = defragment(heap, order);
    }
{%- endif %}
    if (block != 0U) {
        use(heap, block, order);
    }
    return block;
}

static Index {{ "pool_allocate_apart" if free_lists else "pool_allocate" }}(Heap *heap, size_t size, size_t alignment)
{
    const Index order = order_for(size, alignment);

    return (order == NO_ORDER) ? 0U : allocate_order(heap, order);
}

/* Frees a used block whose header was read. */
static void pool_release(Heap *heap, Index block, Index head)
{
    release(heap, block, order_of(words_of(head)));
}
{%- if free_lists %}

/* Words of the block that serves a request of `size` bytes; 0 if no block can. */
static Index pool_need(size_t size)
{
    const Index order = order_for(size, 1U);

    return (order == NO_ORDER) ? 0U : words_of_order(order);
}

/* A block of `need` words, or 0. */
static Index pool_allocate_words(Heap *heap, Index need)
{
    return allocate_order(heap, order_of(need));
}
{%- else %}

static void pool_free(Heap *heap, Index block)
{
{%- if checked %}
    const Index head = head_of(heap, block);

    /* Whatever block it becomes a part of: this is no header of a used one any more. */
    mark_free(heap, block, head);
    pool_release(heap, block, head);
{%- else %}
    pool_release(heap, block, head_of(heap, block));
{%- endif %}
}
{%- endif %}

/* Joins a block with the buddies above it, if all of them are free or the last of them is the wilderness. */
static bool grow_in_place(Heap *heap, Index block, Index order, Index need)
{
    const Index top = load(heap, TOP);
{%- if not pool.one_block %}
    const Index end = block + words_of_order(need);
{%- endif %}
    Index free_order = order;

    if (order_at(heap, block) < need) {
        return false;
    }
    while ((free_order < need) && ((block + words_of_order(free_order)) < top)) {
        const Index buddy = block + words_of_order(free_order);

        if (((buddy + words_of_order(free_order)) > top) || !is_free_of(heap, buddy, free_order)) {
            return false;
        }
        free_order++;
    }
{%- if pool.one_block %}
    if (free_order < need) {
{%- else %}
    if ((free_order < need) && ((end - HEAD) > heap->length)) {
{%- endif %}
        return false;
    }
    for (Index joined = order; joined < free_order; joined++) {
        remove_block(heap, block + words_of_order(joined), joined);
    }
    set_head(heap, block, need, USED);
{%- if not pool.one_block %}
    if (free_order < need) {
        set_top(heap, end);
    }
{%- endif %}
    return true;
}

/* Resizes the block to `size` bytes in place, if it can. */
static bool pool_resize(Heap *heap, Index block, size_t size)
{
    const Index need = order_for(size, 1U);
    const Index order = order_of(words_of(head_of(heap, block)));

    if (need == NO_ORDER) {
        return false;
    }
    if (need > order) {
        return grow_in_place(heap, block, order, need);
    }
    if (need < order) {
        set_head(heap, block, need, USED);
        /* The upper halves, the largest first: each has this block as its used buddy. */
        for (Index half = order; half > need; half--) {
            release(heap, block + words_of_order(half - 1U), half - 1U);
        }
    }
    return true;
}

/* Bytes that the owner of the block may use. */
static size_t pool_usable(const Heap *heap, Index block)
{
    return ((size_t)words_of(head_of(heap, block)) - HEAD) * WORD;
}
{%- if pool.one_block %}

/* Places the largest block that the region holds behind the table; false if it holds none. */
static bool place_block(Heap *heap, Index *order)
{
    const Index before = (Index)((address_of(heap->words) % GRID) / WORD);

    *order = (heap->length > 1U) ? logarithm(heap->length) : 0U;
    while (*order >= MIN_ORDER) {
        const Index table = (words_of_order(*order - MIN_ORDER) + (WORD - 1U)) / WORD;
        const Index grain = (words_of_order(*order) < (GRID / WORD)) ? words_of_order(*order) : (GRID / WORD);

        heap->first = ((before + CONTROL + table + (grain - 1U)) & ~(grain - 1U)) - before;
        if ((heap->first + words_of_order(*order)) <= heap->length) {
            const Index twice = 2U * words_of_order(*order);

            heap->shift = ((heap->first + (twice - 1U)) & ~(twice - 1U)) - heap->first;
            return true;
        }
        *order -= 1U;
    }
    return false;
}

static bool pool_init(Heap *heap)
{
    Index order;

    if (!place_block(heap, &order)) {
        return false;
    }
{%- else %}

static bool pool_init(Heap *heap)
{
    const Index grain = words_of_order(MIN_ORDER);

    heap->shift = (Index)((address_of(heap->words) % GRID) / WORD);
    heap->first = ((heap->shift + CONTROL + HEAD + (grain - 1U)) & ~(grain - 1U)) - heap->shift;
    if (((heap->first - HEAD) + grain) > heap->length) {
        return false;
    }
{%- endif %}
    for (Index at = INDEX; at < CONTROL; at++) {
        fill(heap, at, 0U);
    }
    store(heap, HIGH, 0U);
{%- if pool.bounded %}
    heap->pairs = 0U;
{%- endif %}
{%- if pool.one_block %}
{%- if checked %}
    for (Index at = 0U; at < words_of_order(order - MIN_ORDER); at++) {
        IN_LOOP unsigned char *const entry = entry_of(heap, heap->first + (at << MIN_ORDER));

        *entry = 0U;
    }
{%- endif %}
    set_top(heap, heap->first + words_of_order(order));
    insert(heap, heap->first, order);
{%- else %}
    set_top(heap, heap->first);
{%- endif %}
{%- if pool.handles %}
    heap->moved = 0U;
    heap->last_moved = 0U;
    heap->max_moved = 0U;
{%- endif %}
    return true;
}

/* The list that a free block must be on, or 0 for none; and whether its status contradicts its buddy's. */
static Index expected_list(const Heap *heap, Index block, Index top, bool *contradicts)
{
    const Index order = order_of(words_of(head_of(heap, block)));
    const Index buddy = buddy_of(heap, block, order, top);
    const bool buddy_is_free = (buddy != 0U) && is_free_of(heap, buddy, order);
{% if pool.estranged %}
    const bool marked = (head_of(heap, block) & PAIRED) != 0U;

    *contradicts = (buddy_is_free && !marked) || (!buddy_is_free && marked);
    if (!buddy_is_free) {
        return list_for(order);
    }
    return (block < buddy) ? pairs_of(order) : 0U;
{%- else %}
{%- if pool.one_block %}
    *contradicts = buddy_is_free;
{%- else %}
    *contradicts = buddy_is_free || ((block_before(heap, top) == block) && ((top - block) == words_of_order(order)));
{%- endif %}
    return list_for(order);
{%- endif %}
}

/* Verifies one list; takes its blocks off `left`. */
static unsigned int list_check(const Heap *heap, Index list, Index top, Index *left)
{
    Index previous = 0U;

    for (Index block = load(heap, list); block != 0U; block = load(heap, block + NEXT)) {
        bool contradicts = false;

        if ((*left == 0U) || (block < heap->first) || (block >= top) || is_used(head_of(heap, block)) ||
            (load(heap, block + PREVIOUS) != previous) || (expected_list(heap, block, top, &contradicts) != list)) {
            return 2U;
        }
        *left -= 1U;
        previous = block;
    }
    return 0U;
}

{%- if pool.handles %}
{% include "buddy/masters.c" %}
{%- endif %}

{%- if pool.bounded %}

/* Whether as many pairs wait as are counted, and no more than may. Their lists are sound. */
static bool pairs_are_counted(const Heap *heap)
{
    Index pairs = 0U;

    for (Index order = MIN_ORDER; order <= MAX_ORDER; order++) {
        for (Index block = load(heap, pairs_of(order)); block != 0U; block = load(heap, block + NEXT)) {
            pairs++;
        }
    }
    return (pairs == heap->pairs) && (pairs <= MAX_PAIRS);
}
{%- endif %}

/* The number of the first invariant that is broken, or 0. */
static unsigned int pool_check(const Heap *heap)
{
    const Index top = load(heap, TOP);
    Index listed = 0U;
    Index block = heap->first;

    if ((top < heap->first) || ((top - HEAD) > heap->length) || (top > load(heap, HIGH))) {
        return 9U;
    }
    while (block < top) {
        const Index words = words_of(head_of(heap, block));

        if ((words < words_of_order(MIN_ORDER)) || ((words & (words - 1U)) != 0U) || (words > (top - block)) ||
            (order_of(words) > order_at(heap, block))) {
            return 1U;
        }
        block += words;
    }
    for (block = heap->first; block < top; block += words_of(head_of(heap, block))) {
        bool contradicts = false;

        if (!is_used(head_of(heap, block))) {
            listed += (expected_list(heap, block, top, &contradicts) != 0U) ? 1U : 0U;
        }
{%- if pool.handles %} else if (!owner_names(heap, block, top)) {
            return 6U;
        } else {
            /* It is sound. */
        }
{%- endif %}
        if (contradicts) {
            return {{ 4 if pool.estranged else 3 }}U;
        }
    }
    for (Index list = INDEX; list < {{ 'MASTERS' if pool.handles else 'LAYERS' }}; list++) {
        const unsigned int broken = list_check(heap, list, top, &listed);

        if (broken != 0U) {
            return broken;
        }
    }
{%- if pool.bounded %}
    if ((listed == 0U) && !pairs_are_counted(heap)) {
        return 7U;
    }
{%- endif %}
    return (listed == 0U) ? 0U : 2U;
}

/* {% if "counters" in extras %}Says how much is in use{% else %}Counts the blocks{% endif %}. */
static void pool_statistics(const Heap *heap, struct {{ n }}_statistics *counts)
{
    const Index top = load(heap, TOP);

{%- if pool.handles %}
    counts->last_moved = (size_t)heap->last_moved * WORD;
    counts->max_moved = (size_t)heap->max_moved * WORD;
{%- endif %}
    counts->footprint = ((size_t)top - HEAD) * WORD;
    counts->footprint_peak = ((size_t)load(heap, HIGH) - HEAD) * WORD;
{%- if "counters" not in extras %}
    for (Index block = heap->first; block < top; block += words_of(head_of(heap, block))) {
        const size_t payload = ((size_t)words_of(head_of(heap, block)) - HEAD) * WORD;

        if (is_used(head_of(heap, block))) {
            counts->used_blocks++;
            counts->used_bytes += payload;
        } else {
            counts->free_blocks++;
            counts->free_bytes += payload;
            if (payload > counts->largest_free) {
                counts->largest_free = payload;
            }
        }
    }
{%- endif %}
}
