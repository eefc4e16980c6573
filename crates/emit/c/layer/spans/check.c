
/* Blocks of a span that were used, and those of them that are free; more, if what says so is damaged. */
static Index span_served(const Heap *heap, Index span)
{
    return times_in(load(heap, span + SPAN_FRESH) - SPAN_FIRST, span_class_words({{ class_of("load(heap, span + SPAN_CLASS)") }}));
}
{%- if layer.bitmap %}

static bool span_is_free(const Heap *heap, Index span, Index number)
{
    return ((load(heap, span + SPAN_MAP + (number / MAP_BITS)) >> (number % MAP_BITS)) & 1U) != 0U;
}
{%- endif %}

static Index span_count_free(const Heap *heap, Index span)
{
    const Index served = span_served(heap, span);
    Index free_blocks = 0U;
{% if layer.bitmap %}
    for (Index number = 0U; number < ((SPAN_RECORD - SPAN_MAP) * MAP_BITS); number++) {
        const Index hint = load(heap, span + SPAN_HINT) * MAP_BITS;

        if (span_is_free(heap, span, number)) {
            if ((number >= served) || (number < hint)) {
                return served + 1U;
            }
            free_blocks++;
        }
    }
{%- else %}
    const Index words = span_class_words({{ class_of("load(heap, span + SPAN_CLASS)") }});
    const Index first = span_start(heap, span) + SPAN_FIRST;

    for (Index block = load(heap, span + SPAN_FREE); block != 0U; block = load(heap, block)) {
        if ((block < first) || ((block - first) >= SPAN_LENGTH) || (free_blocks >= served) ||
            (times_in(block - first, words) >= served) || ((times_in(block - first, words) * words) != (block - first))) {
            return served + 1U;
        }
        free_blocks++;
    }
{%- endif %}
    return free_blocks;
}

/* Whether an entry of the table leads to a span: within the footprint, of a class, over its units. */
static bool is_span(const Heap *heap, Index span)
{
    const Index top = {{ footprint }};
    Index start;
    Index unit;

    if ((span == 0U) || ((span + SPAN_RECORD) > top) || (load(heap, span + SPAN_CLASS) >= SPAN_RINGS)) {
        return false;
    }
    start = span_start(heap, span);
    unit = unit_of(heap, start);
    if (((start + SPAN_LENGTH) > top) || ((unit + SPAN_UNITS) > load(heap, heap->spans + SPAN_CAPACITY)) ||
        (((start + heap->span_grid) & (((Index)1U << UNIT_SHIFT) - 1U)) != 0U)) {
        return false;
    }
    for (Index next = 0U; next < SPAN_UNITS; next++) {
        if (load(heap, load(heap, heap->spans + SPAN_TABLE) + unit + next) != span) {
            return false;
        }
    }
    return true;
}

/* S2 of a span, and S3 of one that is full. */
static unsigned int span_check(const Heap *heap, Index span)
{
    const Index words = span_class_words({{ class_of("load(heap, span + SPAN_CLASS)") }});
    const Index fresh = load(heap, span + SPAN_FRESH);

    if ({% if not layer.outside %}(fresh < SPAN_FIRST) || {% endif %}(fresh > SPAN_LENGTH) || ((span_served(heap, span) * words) != (fresh - SPAN_FIRST)) ||
        ((load(heap, span + SPAN_USED) + span_count_free(heap, span)) != span_served(heap, span))) {
        return 18U;
    }
    return 0U;
}

/* S3 of a ring: counts its spans, and the empty ones among them. */
static unsigned int ring_check(const Heap *heap, Index ring, Index *members, Index *empty)
{
    const Index head = load(heap, heap->spans + SPAN_HEADS + ring);
    Index span = head;
    Index its = 0U;
    Index here = 0U;

    while (span != 0U) {
        Index next;
        Index used;

        if ((here >= load(heap, heap->spans + SPANS)) || !is_span(heap, span) ||
            (load(heap, span + SPAN_CLASS) != ring)) {
            return 19U;
        }
        next = load(heap, span + SPAN_NEXT);
        used = load(heap, span + SPAN_USED);
        if (fills_span(used, {{ class_of("ring") }}) || !is_span(heap, next) ||
            (load(heap, next + SPAN_PREVIOUS) != span)) {
            return 19U;
        }
        here++;
        its += (used == 0U) ? 1U : 0U;
        span = (next == head) ? 0U : next;
    }
    *members += here;
    *empty += its;
{%- if layer.keep %}
    return ((its == load(heap, heap->spans + SPAN_HEADS + SPAN_RINGS + ring)) && (its <= SPANS_KEPT)) ? 0U : 20U;
{%- else %}
    return (its == 0U) ? 0U : 20U;
{%- endif %}
}

/* S1 of an entry of the table, S2 of the span that begins at its unit. Counts the spans, and those with room. */
static unsigned int entry_check(const Heap *heap, Index unit, Index *spans, Index *with_room)
{
    const Index span = load(heap, load(heap, heap->spans + SPAN_TABLE) + unit);
    unsigned int broken = 0U;
    Index first;

    if (span == 0U) {
        return 0U;
    }
    if (!is_span(heap, span)) {
        return 17U;
    }
    first = unit_of(heap, span_start(heap, span));
    if ((unit - first) >= SPAN_UNITS) {
        return 17U;
    }
    if (unit == first) {
        broken = span_check(heap, span);
        *spans += 1U;
        *with_room += fills_span(load(heap, span + SPAN_USED), {{ class_of("load(heap, span + SPAN_CLASS)") }}) ? 0U : 1U;
    }
    return broken;
}

static unsigned int spans_check(const Heap *heap)
{
    const Index table = load(heap, heap->spans + SPAN_TABLE);
    const Index capacity = load(heap, heap->spans + SPAN_CAPACITY);
    unsigned int broken = {{ layer.below.check }}(heap);
    Index spans = 0U;
    Index with_room = 0U;
    Index members = 0U;
    Index empty = 0U;

    if ((broken == 0U) && ((table + capacity) > {{ footprint }})) {
        broken = 17U;
    }
    for (Index unit = 0U; (broken == 0U) && (unit < capacity); unit++) {
        broken = entry_check(heap, unit, &spans, &with_room);
    }
    for (Index ring = 0U; (broken == 0U) && (ring < SPAN_RINGS); ring++) {
        broken = ring_check(heap, ring, &members, &empty);
    }
    if ((broken == 0U) && (members != with_room)) {
        broken = 19U;
    }
    if ((broken == 0U) && ((spans != load(heap, heap->spans + SPANS)) || (empty != load(heap, heap->spans + SPANS_EMPTY)) ||
                           ((spans == 0U) != (table == 0U)))) {
        broken = 20U;
    }
    return broken;
}
