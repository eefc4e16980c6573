
/* ---- Looking at every block ------------------------------------------------------------------- */

/* The number of the first invariant that is broken, or 0. */
static unsigned int pool_check(const Heap *heap)
{
    const Index top = load(heap, TOP);
    Index block = {{ first }};
{%- if index.checks %}
    Index free_blocks = 0U;
{%- endif %}
{%- if pool.tags or pool.touches_never or pool.apart %}
    bool before_is_used = true;
{%- endif %}

    if ((top < {{ first }}) || (top > heap->length) || (top > load(heap, HIGH))) {
        return 9U;
    }
    while (block < top) {
        const Index head = load(heap, block - 1U);
        const Index words = {{ size_of }}(head);

        if ((words < MIN_BLOCK) || ((words & (GRANULE - 1U)) != 0U) || (words > (top - block))) {
            return 1U;
        }
{%- if pool.tags %}
        if (((head & PREVIOUS_USED) != 0U) != before_is_used) {
            return 2U;
        }
        if (!is_used(head) && (load(heap, (block + words) - 2U) != words)) {
            return 3U;
        }
{%- endif %}
{%- if pool.touches_never %}
        if (!before_is_used && !is_used(head)) {
            return 4U;
        }
{%- elif pool.apart %}
        if (!heap->touching && !before_is_used && !is_used(head)) {
            return 4U;
        }
{%- endif %}
{%- if pool.tags or pool.touches_never or pool.apart %}
        before_is_used = is_used(head);
{%- endif %}
{%- if index.checks %}
        free_blocks += is_used(head) ? 0U : 1U;
{%- endif %}
        block += words;
    }
    if ((words_of(load(heap, top - 1U)) != 0U) || !is_used(load(heap, top - 1U))) {
        return 1U;
    }
{%- if pool.tags %}
    if (((load(heap, top - 1U) & PREVIOUS_USED) != 0U) != before_is_used) {
        return 2U;
    }
{%- endif %}
{%- if pool.touches_never %}
    if (!before_is_used) {
        return 4U;
    }
{%- elif pool.apart %}
    if (!heap->touching && !before_is_used) {
        return 4U;
    }
{%- endif %}
{%- if index.checks %}
    return index_check(heap, top, free_blocks);
{%- else %}
    return 0U;
{%- endif %}
}

/* {% if "counters" in extras %}Says how much is in use{% else %}Counts the blocks{% endif %}. */
static void pool_statistics(const Heap *heap, struct {{ n }}_statistics *counts)
{
{%- if "counters" in extras %}
    counts->footprint = (size_t)load(heap, TOP) * WORD;
    counts->footprint_peak = (size_t)load(heap, HIGH) * WORD;
}
{%- else %}
    Index block = {{ first }};
    Index words = {{ size_of }}(load(heap, block - 1U));

    counts->footprint = (size_t)load(heap, TOP) * WORD;
    counts->footprint_peak = (size_t)load(heap, HIGH) * WORD;
    while (words != 0U) {
        const size_t payload = ((size_t)words - 1U) * WORD;

        if (is_used(load(heap, block - 1U))) {
            counts->used_blocks++;
            counts->used_bytes += payload;
        } else {
            counts->free_blocks++;
            counts->free_bytes += payload;
            if (payload > counts->largest_free) {
                counts->largest_free = payload;
            }
        }
        block += words;
        words = {{ size_of }}(load(heap, block - 1U));
    }
}
{%- endif %}
