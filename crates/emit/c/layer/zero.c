
/* ---- The layer: what is handed out is set to 0 ------------------------------------------------- */

/* Sets the contents of a block to 0 from byte `from` to their usable end. */
static void zero_from(Heap *heap, Index block, size_t from)
{
    IN_LOOP unsigned char *const contents = (unsigned char *)&heap->words[block];
    const size_t end = {{ layer.below.usable }}(heap, block);

    for (size_t at = from; at < end; at++) {
        contents[at] = 0U;
    }
}

static Index zero_allocate(Heap *heap, size_t size, size_t alignment)
{
    const Index block = {{ layer.below.allocate }}(heap, size, alignment);

    if (block != 0U) {
        zero_from(heap, block, 0U);
    }
    return block;
}

static Index zero_reallocate(Heap *heap, Index block, size_t size, size_t alignment)
{
    const size_t before = {{ layer.below.usable }}(heap, block);
    const Index moved = {{ layer.below.reallocate }}(heap, block, size, alignment);

    if (moved != 0U) {
        zero_from(heap, moved, (before < size) ? before : size);
    }
    return moved;
}
