/* Whether the header of a chunk is right about the one before it, of `words` words. */
static bool knows_left(const Heap *heap, Index block, Index words, bool used)
{
{%- if pool.head == "tags" %}
    const bool told = ((load(heap, block - 1U) & PREVIOUS_USED) != 0U);

    return (told == used) && (used || (load(heap, block - 2U) == words));
{%- elif pool.head == "packed" %}
    (void)used;
    return ((load(heap, block - 1U) >> LEFT) * UNIT) == words;
{%- else %}
    (void)used;
    return load(heap, block - 2U) == words;
{%- endif %}
}
{%- if index.kind != "two_level" %}

/* Verifies {% if pool.lists == "rings" %}the rings{% else %}the list{% endif %}, of `free_blocks` chunks. */
static unsigned int lists_check(const Heap *heap, Index free_blocks)
{
    Index seen = 0U;
{%- if pool.lists == "rings" %}

    for (Index ring = 0U; ring < NUMBER_OF_RINGS; ring++) {
        const Index start = load(heap, RINGS + ring);
        Index block = start;

        if ((((load(heap, LIST) >> ring) & 1U) != 0U) != (start != 0U)) {
            return 5U;
        }
        while (block != 0U) {
            const Index head = load(heap, block - 1U);
            const Index next = next_of(heap, block);

            if (is_used(head) || (seen == free_blocks) || (words_of(head) < MIN_BLOCK) || (ring_of(words_of(head)) != ring) ||
                (next == 0U) || (next >= heap->end) || (previous_of(heap, next) != block)) {
                return 5U;
            }
            seen++;
            block = (next == start) ? 0U : next;
        }
    }
{%- else %}
    Index previous = 0U;

    for (Index block = load(heap, LIST); block != 0U; block = next_of(heap, block)) {
        if ((seen == free_blocks) || (block >= heap->end) || is_used(load(heap, block - 1U)) ||
            (previous_of(heap, block) != previous)) {
            return 5U;
        }
{%- if pool.lists == "address" %}
        if (previous >= block) {
            return 5U;
        }
{%- elif pool.lists == "size" %}
        if ((previous != 0U) && (words_of(load(heap, previous - 1U)) > words_of(load(heap, block - 1U)))) {
            return 5U;
        }
{%- endif %}
        seen++;
        previous = block;
    }
{%- if pool.ends %}
    if (previous != load(heap, TAIL)) {
        return 5U;
    }
{%- endif %}
{%- endif %}
    return (seen == free_blocks) ? 0U : 5U;
}
{%- endif %}

/* The number of the first invariant that is broken, or 0. */
static unsigned int pool_check(const Heap *heap)
{
    Index block = {{ first }};
    Index before = 0U;
    Index free_blocks = 0U;
    bool before_is_used = true;
{%- if pool.ends %}
    bool has_middle = (load(heap, MIDDLE) == 0U);
{%- endif %}
    unsigned int broken;

    while (block < heap->end) {
        const Index head = load(heap, block - 1U);
        const Index words = words_of(head);

        if ((words < HEAD) || {% if pool.unit > 1 %}((words % UNIT) != 0U) || {% endif %}(words > (heap->end - block))) {
            return 1U;
        }
        if (!knows_left(heap, block, before, before_is_used)) {
            return 2U;
        }
{%- if pool.joins %}
        if (!is_used(head) && !before_is_used) {
            return 3U;
        }
{%- endif %}
        free_blocks += (!is_used(head){% if pool.has_unlinked %} && (words >= MIN_BLOCK){% endif %}) ? 1U : 0U;
{%- if pool.ends %}
        has_middle = has_middle || ((block == load(heap, MIDDLE)) && !is_used(head));
{%- endif %}
        before_is_used = is_used(head);
        before = words;
        block += words;
    }
    if ((words_of(load(heap, heap->end - 1U)) != 0U) || !is_used(load(heap, heap->end - 1U))) {
        return 1U;
    }
    if (!knows_left(heap, heap->end, before, before_is_used)) {
        return 2U;
    }
{%- if index.kind == "two_level" %}
    broken = index_check(heap, heap->end, free_blocks);
{%- else %}
    broken = lists_check(heap, free_blocks);
{%- endif %}
{%- if pool.ends %}
    if ((broken == 0U) && !has_middle) {
        broken = 8U;
    }
{%- endif %}
    if ((broken == 0U) && (({{ footprint }}) > load(heap, HIGH))) {
        broken = 9U;
    }
    return broken;
}
