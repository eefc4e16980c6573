

{%- if checked %}

/* Frees the block that begins at `pointer`; a heap error, if none does.{% if counts_freed %} Returns its bytes, or 0.{% endif %} */
static {{ "size_t" if counts_freed else "void" }} free_block(Heap *heap, const void *pointer)
{
{%- if counts_freed %}
    size_t bytes = 0U;
{%- endif %}
{%- if checks_by_call %}
    const Index block = used_block(heap, pointer);

    if (error_of(block) == 0U) {
{%- else %}
    Index block = 0U;

    if (find_used(heap, pointer, &block)) {
{%- endif %}
{%- if counts_freed %}
        bytes = block_bytes(heap, block);
{%- endif %}
        {{ base.free }}(heap, block);
    } else {
        heap_error(heap, {{ "error_of(block)" if checks_by_call else "(unsigned int)block + 1U" }}, pointer);
    }
{%- if counts_freed %}
    return bytes;
{%- endif %}
}
{%- endif %}

/* Changes the size of a block, in place where it can; else by a new block, the old one's contents and
 * its release. 0 if the request is refused: the block is as it was. */
static Index resize_or_move(Heap *heap, Index block, size_t size, size_t alignment)
{
{%- if checked %}
    const Word *const payload = &heap->words[block];
    const bool lies_right = (address_of(payload) & (alignment - 1U)) == 0U;
{%- else %}
    const bool lies_right = (address_of(&heap->words[block]) & (alignment - 1U)) == 0U;
{%- endif %}
{%- if not in_order %}
    Index moved;
{%- endif %}

    if ((lies_right || (alignment == 0U)) && {{ base.resize }}(heap, block, size)) {
        return block;
    }
{%- if in_order %}
    /* Blocks are freed in order, so the old one could not be freed. */
    return 0U;
{%- else %}
    moved = {{ base.allocate }}(heap, size, alignment);
    if (moved != 0U) {
        const size_t old_bytes = {{ base.usable }}(heap, block);

        copy(heap, moved, block, (old_bytes < size) ? old_bytes : size);
        {{ ("(void)" if counts_freed else "") ~ "free_block(heap, payload)" if checked else base.free ~ "(heap, block)" }};
    }
{%- if retries %} else if ((lies_right || (alignment == 0U)) && {{ base.resize_joined }}(heap, block, size)) {
        /* What was joined for a new block lets this one grow where it is{% if index.kind == "classes" %}, or it holds as much already{% endif %}. */
        return block;
    } else {
        /* It is refused. */
    }
{%- elif pool.family == "pages" %} else if ((lies_right || (alignment == 0U)) && (size > 0U) && (size <= {{ base.usable }}(heap, block))) {
        /* A smaller object is a saving, not a need. */
        return block;
    } else {
        /* It is refused. */
    }
{%- endif %}
    return moved;
{%- endif %}
}
