
/* Steps 1 and 2: a block whose buddy is used; else one of two free buddies, and the other is alone. */
static Index whole(Heap *heap, Index order)
{
    Index block = pop(heap, list_for(order));

    if (block == 0U) {
        block = pop(heap, pairs_of(order));
        if (block != 0U) {
            insert(heap, block + words_of_order(order), order);
        }
    }
    return block;
}

/* Frees a block, which is marked together with its buddy if that is free. */
static void release(Heap *heap, Index block, Index order)
{
    const Index buddy = buddy_of(heap, block, order, load(heap, TOP));

    if ((buddy != 0U) && is_free_of(heap, buddy, order)) {
        unlink_block(heap, list_for(order), buddy);
        store(heap, block - 1U, header(words_of_order(order), PAIRED));
        store(heap, buddy - 1U, header(words_of_order(order), PAIRED));
        push(heap, pairs_of(order), (buddy < block) ? buddy : block);
    } else {
        insert(heap, block, order);
    }
}

/* Step 5: what is paired is joined, from the lowest order up, until two buddies make a block of `order`. */
static Index glue(Heap *heap, Index order)
{
    for (Index lower = MIN_ORDER; lower < order; lower++) {
        Index block = pop(heap, pairs_of(lower));

        while (block != 0U) {
            if ((lower + 1U) == order) {
                return block;
            }
            release(heap, block, lower + 1U);
            block = pop(heap, pairs_of(lower));
        }
    }
    return 0U;
}

/* A free block of `order`, or 0, in the five steps of the source. */
static Index find(Heap *heap, Index order)
{
    Index block = whole(heap, order);

    if ((block == 0U) && (order > MIN_ORDER)) {
        block = pop(heap, pairs_of(order - 1U)); /* step 3 */
    }
    for (Index larger = order + 1U; (block == 0U) && (larger <= highest(heap)); larger++) {
        block = whole(heap, larger); /* step 4 */
        if (block != 0U) {
            split(heap, block, larger, order);
        }
    }
    return (block != 0U) ? block : glue(heap, order);
}
