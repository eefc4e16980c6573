
/* Whether the free block that its link names next names it as well. */
IN_PLACE bool index_holds(const Heap *heap, Index block)
{
{%- if index.kind == "classes" %}
    /* Nothing leads back: the link lies in the region. */
    return load(heap, block) < heap->length;
{%- else %}
    const Index next = load(heap, block + NEXT);
{%- if index.small_heads %}
    const bool is_small = words_of(load(heap, block - 1U)) < NODE;
    const Index named = is_small ? block : back(block, LISTED);
{%- endif %}

    return (next == 0U) || (((next + PREVIOUS) < heap->length) && (load(heap, next + PREVIOUS) == {{ "named" if index.small_heads else "block" }}));
{%- endif %}
}
