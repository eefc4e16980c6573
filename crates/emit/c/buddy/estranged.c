
/* The lower of two free buddies of `order` off their list, or 0. */
{{ in_place }} Index take_pair(Heap *heap, Index order)
{
{%- if pool.bounded %}
    const Index block = pop(heap, pairs_of(order));

    heap->pairs -= (block != 0U) ? 1U : 0U;
    return block;
{%- else %}
    return pop(heap, pairs_of(order));
{%- endif %}
}

/* Steps 1 and 2: a block whose buddy is used; else one of two free buddies, and the other is alone. */
static Index whole(Heap *heap, Index order)
{
    Index block = pop(heap, list_for(order));

    if (block == 0U) {
        block = take_pair(heap, order);
        if (block != 0U) {
            insert(heap, block + words_of_order(order), order);
        }
    }
    return block;
}
{%- if pool.bounded %}

/* Frees a block, which is marked together with its buddy if that is free, or becomes one with it if MAX_PAIRS wait. */
static void release(Heap *heap, Index freed, Index its_order)
{
    const Index top = load(heap, TOP);
    Index block = freed;
    Index order = its_order;
    Index buddy = buddy_of(heap, block, order, top);

    while ((buddy != 0U) && is_free_of(heap, buddy, order)) {
        unlink_block(heap, list_for(order), buddy);
        if (heap->pairs != MAX_PAIRS) {
            heap->pairs++;
            set_head(heap, block, order, PAIRED);
            set_head(heap, buddy, order, PAIRED);
            push(heap, pairs_of(order), (buddy < block) ? buddy : block);
            return;
        }
        block = (buddy < block) ? buddy : block;
        order++;
        buddy = buddy_of(heap, block, order, top);
    }
    insert(heap, block, order);
}
{%- else %}

/* Frees a block, which is marked together with its buddy if that is free. */
static void release(Heap *heap, Index block, Index order)
{
    const Index buddy = buddy_of(heap, block, order, load(heap, TOP));

    if ((buddy != 0U) && is_free_of(heap, buddy, order)) {
        unlink_block(heap, list_for(order), buddy);
        set_head(heap, block, order, PAIRED);
        set_head(heap, buddy, order, PAIRED);
        push(heap, pairs_of(order), (buddy < block) ? buddy : block);
    } else {
        insert(heap, block, order);
    }
}
{%- endif %}

/* Step 5: what is paired is joined, from the lowest order up, until two buddies make a block of `order`. */
static Index glue(Heap *heap, Index order)
{
    for (Index lower = MIN_ORDER; lower < order; lower++) {
        Index block = take_pair(heap, lower);

        while (block != 0U) {
            if ((lower + 1U) == order) {
                return block;
            }
            release(heap, block, lower + 1U);
            block = take_pair(heap, lower);
        }
    }
    return 0U;
}

/* A free block of `order`, or 0, in the {{ "first four" if pool.grows_first else "five" }} steps of the source. */
static Index find(Heap *heap, Index order)
{
    Index block = whole(heap, order);

    if ((block == 0U) && (order > MIN_ORDER)) {
        block = take_pair(heap, order - 1U); /* step 3 */
    }
    for (Index larger = order + 1U; (block == 0U) && (larger <= highest(heap)); larger++) {
        block = whole(heap, larger); /* step 4 */
        if (block != 0U) {
            split(heap, block, larger, order);
        }
    }
    return {% if pool.grows_first %}block{% else %}(block != 0U) ? block : glue(heap, order){% endif %};
}
