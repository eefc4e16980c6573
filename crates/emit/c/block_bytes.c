
/* Bytes of a used block, header included. */
static inline size_t block_bytes(const Heap *heap, Index block)
{
{%- if header == 0 %}
    return {{ base.usable }}(heap, block);
{%- elif pool.family == "buddy" %}
    return (size_t)words_of(head_of(heap, block)) * WORD;
{%- else %}
    return (size_t)words_of(load(heap, block - 1U)) * WORD;
{%- endif %}
}
