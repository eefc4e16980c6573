
/* A free block of `order`, or 0. */
static Index find(Heap *heap, Index order)
{
    Index block = pop(heap, list_for(order));

    for (Index larger = order + 1U; (block == 0U) && (larger <= highest(heap)); larger++) {
        block = pop(heap, list_for(larger));
        if (block != 0U) {
            split(heap, block, larger, order);
        }
    }
    return block;
}

/* Frees a block, which becomes one with its buddy as long as that is free. */
static void release(Heap *heap, Index freed, Index its_order)
{
    const Index top = load(heap, TOP);
    Index block = freed;
    Index order = its_order;
{%- if pool.one_block %}
    Index buddy = buddy_of(heap, block, order, top);

    while ((buddy != 0U) && is_free_of(heap, buddy, order)) {
        remove_block(heap, buddy, order);
        block = (buddy < block) ? buddy : block;
        order++;
        buddy = buddy_of(heap, block, order, top);
    }
    insert(heap, block, order);
{%- else %}

    while ((block + words_of_order(order)) != top) {
        const Index buddy = buddy_of(heap, block, order, top);

        if ((buddy == 0U) || !is_free_of(heap, buddy, order)) {
            break;
        }
        remove_block(heap, buddy, order);
        block = (buddy < block) ? buddy : block;
        order++;
    }
    if ((block + words_of_order(order)) == top) {
        set_top(heap, retreat(heap, block, ~(Index)0U));
    } else {
        insert(heap, block, order);
    }
{%- endif %}
}
