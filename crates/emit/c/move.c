
/* Changes the size of a block, in place where it can; else by a new block, the old one's contents and
 * its release. 0 if the request is refused: the block is as it was. */
static Index resize_or_move(Heap *heap, Index block, size_t size, size_t alignment)
{
    const bool lies_right = (address_of(&heap->words[block]) & (alignment - 1U)) == 0U;
    Index moved;

    if ((lies_right || (alignment == 0U)) && {{ op.resize }}(heap, block, size)) {
        return block;
    }
    moved = {{ op.allocate }}(heap, size, alignment);
    if (moved != 0U) {
        const size_t old_bytes = {{ op.usable }}(heap, block);
        const size_t new_bytes = {{ op.usable }}(heap, moved);

        copy(heap, moved, block, (old_bytes < new_bytes) ? old_bytes : new_bytes);
        {{ op.free }}(heap, block);
    }
    return moved;
}
