
/* What visits the blocks below in place of the program's visitor: their places, or what the layer keeps of them as cached. */
typedef struct span_walk {
    const Heap *heap;
    const Walk *outer;
    bool is_again;
} SpanWalk;

/* Words of a block that is visited: from its payload to behind it. */
typedef struct extent {
    Index from;
    Index to;
} Extent;

static inline bool lies_in(Extent block, Index at)
{
    return (at >= block.from) && (at < block.to);
}

/* The record of the span that a used block below holds, or 0. Its payload may begin behind where the block does. */
static Index span_in(const Heap *heap, Extent block)
{
    const Index capacity = load(heap, heap->spans + SPAN_CAPACITY);

    for (Index unit = unit_of(heap, block.from); (unit <= unit_of(heap, block.to)) && (unit < capacity); unit++) {
        const Index span = load(heap, load(heap, heap->spans + SPAN_TABLE) + unit);

        if ((span != 0U) && lies_in(block, span_start(heap, span))) {
            return span;
        }
    }
    return 0U;
}

/* Whether a used block below has words of this layer alone. */
static bool is_own(const Heap *heap, Extent block)
{
    const Index table = load(heap, heap->spans + SPAN_TABLE);
{%- if layer.outside %}

    for (Index unit = 0U; unit < load(heap, heap->spans + SPAN_CAPACITY); unit++) {
        const Index span = load(heap, table + unit);

        if ((span != 0U) && lies_in(block, span)) {
            return true;
        }
    }
{%- endif %}
    return lies_in(block, heap->spans) || ((table != 0U) && lies_in(block, table));
}

/* Visits the blocks of a span; those that were never used as one. */
static void span_visit(const Heap *heap, const Walk *walk, Index span)
{
    const Index words = span_class_words({{ class_of("load(heap, span + SPAN_CLASS)") }});
    const Index first = span_start(heap, span) + SPAN_FIRST;
    const Index served = span_served(heap, span);
    const Index never = span_blocks({{ class_of("load(heap, span + SPAN_CLASS)") }}) - served;

    for (Index number = 0U; number < served; number++) {
        const Index block = first + (number * words);
{%- if layer.bitmap %}
        const bool is_free = span_is_free(heap, span, number);
{%- else %}
        bool is_free = false;

        for (Index next = load(heap, span + SPAN_FREE); (next != 0U) && !is_free; next = load(heap, next)) {
            is_free = next == block;
        }
{%- endif %}
        visit_block(heap, walk, block, (size_t)words * WORD, is_free ? {{ N }}_IS_FREE : {{ N }}_IS_USED);
    }
    if (never > 0U) {
        visit_block(heap, walk, first + (served * words), (size_t)never * ((size_t)words * WORD), {{ N }}_IS_FREE);
    }
}

/* Visits the part of a block below before its span's blocks, or that behind them. */
static void visit_part(const SpanWalk *walk, Index from, Index to, bool is_there)
{
    if (is_there) {
        const Index words = to - from;

        visit_block(walk->heap, walk->outer, from, (size_t)words * WORD, walk->is_again ? {{ N }}_IS_CACHED : {{ N }}_IS_USED);
    }
}

static void span_visit_below(void *context, const void *block, size_t bytes, unsigned int status)
{
    /* cppcheck-suppress misra-c2012-11.5 ; what this function is called with is a walk */
    const SpanWalk *const walk = (const SpanWalk *)context;
    const Heap *const heap = walk->heap;
    /* cppcheck-suppress misra-c2012-11.5 ; a block begins at a word */
    const Word *const word = (const Word *)block;
    const bool is_taken = status == {{ N }}_IS_USED;
    Extent extent;
    Index span;

    /* cppcheck-suppress [misra-c2012-10.8, misra-c2012-18.4] ; both point into the region, `word` behind its base */
    extent.from = (Index)(word - heap->words);
    extent.to = extent.from + (Index)(bytes / WORD);
    span = is_taken ? span_in(heap, extent) : 0U;
    if (is_taken && is_own(heap, extent)) {
        visit_part(walk, extent.from, extent.to, true);
    } else if (span != 0U) {
        const Index first = span_start(heap, span) + SPAN_FIRST;
        const Index words = span_class_words({{ class_of("load(heap, span + SPAN_CLASS)") }});
        const Index end = first + (span_blocks({{ class_of("load(heap, span + SPAN_CLASS)") }}) * words);

        visit_part(walk, extent.from, first, {% if header > 0 %}true{% else %}first > extent.from{% endif %});
        if (!walk->is_again) {
            span_visit(heap, walk->outer, span);
        }
        visit_part(walk, end, extent.to, extent.to > end);
    } else if (!walk->is_again) {
        walk->outer->visit(walk->outer->context, block, bytes, status);
    } else {
        /* It was visited, as what it is. */
    }
}

/* Visits what is below, the blocks of spans in their place; then what the layer keeps for itself once more. */
static void spans_walk(const Heap *heap, const Walk *walk)
{
    SpanWalk inner;
    Walk below;

    inner.heap = heap;
    inner.outer = walk;
    inner.is_again = false;
    below.visit = span_visit_below;
    below.context = &inner;
    {{ layer.below.walk }}(heap, &below);
    inner.is_again = true;
    {{ layer.below.walk }}(heap, &below);
}
