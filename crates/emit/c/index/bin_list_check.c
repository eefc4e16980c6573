
/* Verifies a bin; takes its blocks off `left`. */
static unsigned int bin_check(const Heap *heap, Index bin, Index root, Index top, Index *left)
{
    const unsigned int broken = chain_check(heap, root, top, left);
{%- if index.order == "size" %}
    Index min = 0U;
{%- endif %}

    if (broken != 0U) {
        return broken;
    }
    for (Index block = load(heap, root); block != 0U; block = load(heap, block + NEXT)) {
        const Index words = words_of(load(heap, block - 1U));

        if (!bin_holds(bin, words)) {
            return 5U;
        }
{%- if index.order == "size" %}
        if (words < min) {
            return 6U;
        }
        min = words;
{%- endif %}
    }
    return 0U;
}
