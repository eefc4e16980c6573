{#- The ring of a class for who is served, and the class of a ring: the same where spans have no owners. -#}
{%- macro ring(of) %}{{ "(heap->span_rings + " ~ of ~ ")" if layer.owners else of }}{% endmacro %}
{%- macro class_of(ring) %}{{ "(" ~ ring ~ " % SPAN_CLASSES)" if layer.owners else ring }}{% endmacro %}

/* ---- The layer: spans, runs of blocks of one class without headers ------------------------------
 *
 *   region | control | table | record | block | block | ... | never used | large | span ...
 *                      a word for each unit of the region: the record of its span, or 0
 *
 * A request of up to {{ layer.largest }} bytes gets a block of its class, of the span at the head of the ring of its class.
 * Larger ones are for what is below, which spans and table are blocks of too. A span that has no used block{% if layer.keep %}
 * is kept, unless {{ layer.keep }} of its class are; what is kept is given back before a request is refused.{% else %} is given back.{% endif %}
 *
 * S1  An entry of the table is 0, or the record of the span that covers its unit.
 * S2  Of the blocks below FRESH, USED are with the program, and the others {% if layer.bitmap %}in the bitmap{% else %}on the list, once{% endif %}.
 * S3  A span with room is in the ring of its class{% if layer.owners %} and owner{% endif %}, linked both ways, and a full one in none.
 * S4  Spans, and empty ones of each ring, are as many as are counted.
{%- if layer.bitmap %}
 * S5  No word of a bitmap before the hint has a bit, nor has a block that was never used.
{%- endif %}
 *
 * Bonwick 1994; Kamp 1998; Evans 2006; Leijen, Zorn and de Moura 2019.
 */

/* Bytes of a unit as a power of two of words; units of a span; bytes whose multiples units begin at. */
#define UNIT_SHIFT {{ layer.unit_shift }}U
#define SPAN_UNITS {{ layer.units }}U
#define SPAN_GRID {{ layer.grid }}U

/* Words of a span, of its record, and before its first block. */
#define SPAN_LENGTH {{ layer.length }}U
#define SPAN_RECORD {{ layer.record }}U
#define SPAN_FIRST {{ layer.first }}U
#define SPAN_BYTES ((size_t)SPAN_LENGTH * WORD)
#define SPAN_LARGEST {{ layer.largest }}U
#define SPAN_ALIGNMENT {{ layer.alignment }}U
{%- if layer.keep %}
#define SPANS_KEPT {{ layer.keep }}U
{%- endif %}

/* The words of the layer's own block. */
#define SPAN_TABLE 0U
#define SPAN_CAPACITY 1U
#define SPANS 2U
#define SPANS_EMPTY 3U
#define SPAN_HEADS 4U
#define SPAN_OWN {{ layer.own }}U

/* The words of a record: what was never used begins FRESH words from the start of the span. */
#define SPAN_CLASS 0U{% if layer.owners %} /* its ring: the class, and the owner times the classes */{% endif %}
#define SPAN_USED 1U
#define SPAN_FRESH 2U
{%- if layer.bitmap %}
#define SPAN_HINT 3U /* the first word of the bitmap that may have a bit */
{%- else %}
#define SPAN_FREE 3U
{%- endif %}
#define SPAN_NEXT 4U
#define SPAN_PREVIOUS 5U
{%- if layer.outside %}
#define SPAN_START 6U
{%- endif %}
{%- if layer.bitmap %}
#define SPAN_MAP {{ 7 if layer.outside else 6 }}U
#define MAP_BITS {{ word * 8 }}U
{%- endif %}

#define SPAN_CLASSES {{ layer.map.rows | length }}U
{%- if layer.owners %}
/* A ring for each class of each of {{ layer.owners }} owners, and of none. */
#define SPAN_RINGS {{ (layer.owners + 1) * (layer.map.rows | length) }}U
{%- else %}
#define SPAN_RINGS SPAN_CLASSES
{%- endif %}
{% set map = layer.map %}
{% include "sizes.c" %}

/* Where the span of a record begins. */
static inline Index span_start(const Heap *heap, Place span)
{
{%- if layer.outside %}
    return load(heap, span + SPAN_START);
{%- else %}
    (void)heap;
    return (Index)span;
{%- endif %}
}

/* The unit that a word is in. */
static inline Place unit_at(const Heap *heap, Place at)
{
    return (at + heap->span_grid) >> UNIT_SHIFT;
}

static inline Index unit_of(const Heap *heap, Index at)
{
    return (Index)unit_at(heap, at);
}

/* The record of the span that a word is in, or 0. */
static inline Index span_of(const Heap *heap, Place at)
{
    const Place unit = unit_at(heap, at);

    if (unit >= load(heap, heap->spans + SPAN_CAPACITY)) {
        return 0U;
    }
    return load(heap, load(heap, heap->spans + SPAN_TABLE) + unit);
}

/* How often `words` go into a part of a span: no machine needs its library for so few. */
static inline Index times_in(Index part, Index words)
{
    const uint32_t times = (uint32_t)part / (uint32_t)words;

    return times;
}

/* Blocks of a span of a class. */
static inline Index span_blocks(Place size_class)
{
{%- if layer.blocks | length == 1 %}
    (void)size_class;
    return {{ layer.blocks[0] }}U;
{%- else %}
    static const {{ layer.blocks_entry }} blocks[SPAN_CLASSES] = {
{%- for line in layer.blocks | batch(16) %}
        {{ line | join("U, ") }}U,
{%- endfor %}
    };

    return blocks[size_class];
{%- endif %}
}

/* Whether this many used blocks leave no room in a span of a class. */
static inline bool fills_span(Index used, Place size_class)
{
    return used >= span_blocks(size_class);
}

{%- if not layer.map.by_size %}

/* The class that serves requests of `size` bytes, from 1 to SPAN_LARGEST. */
static inline Place span_class_for(size_t size)
{
    return span_class_of((Index)((size + (SPAN_ALIGNMENT - 1U)) / SPAN_ALIGNMENT) * (SPAN_ALIGNMENT / WORD));
}
{%- endif %}

/* The class that serves a request for an alignment; SPAN_CLASSES if none does. */
static inline Place span_class_aligned(size_t size, size_t alignment)
{
    Place size_class;

    if ((size == 0U) || (size > SPAN_LARGEST)) {
        return SPAN_CLASSES;
    }
    size_class = span_class_for(size);
    if ((size_class < SPAN_CLASSES) && (alignment > SPAN_ALIGNMENT)) {
        /* What blocks begin at multiples of: the first of a span, their size, a unit. */
        const size_t all = ((size_t)(SPAN_FIRST | span_class_words(size_class)) * WORD) | ((size_t)WORD << UNIT_SHIFT);

        if ((all & (~all + 1U)) < alignment) {
            return SPAN_CLASSES;
        }
    }
    return size_class;
}

/* Returns a block to what is below. */
RARE void span_return(Heap *heap, Index block)
{
    {{ "(void)" if layer.below.refuses else "" }}{{ layer.below.free }}(heap, block);
}
{%- if layer.ranked %}

/* What the best span has the least of. */
static Index span_rank(const Heap *heap, Index span)
{
    return {% if layer.fullest %}~load(heap, span + SPAN_USED){% else %}span_start(heap, span){% endif %};
}

/* The {{ "fullest span of a ring" if layer.fullest else "span of a ring at the lowest address" }}; of equals the one that has had room for longest. */
static Index span_best(const Heap *heap, Index first)
{
    Index best = first;
    Index rank = span_rank(heap, first);

    for (Index span = load(heap, first + SPAN_NEXT); span != first; span = load(heap, span + SPAN_NEXT)) {
        const Index its = span_rank(heap, span);

        if (its < rank) {
            best = span;
            rank = its;
        }
    }
    return best;
}
{%- endif %}

/* Puts a span that got room into its ring{% if layer.last %}, at its head{% endif %}. */
static void span_enter(Heap *heap, Index span, Place ring)
{
    const Place at = heap->spans + SPAN_HEADS + ring;
    const Index head = load(heap, at);

    if (head == 0U) {
        store(heap, span + SPAN_NEXT, span);
        store(heap, span + SPAN_PREVIOUS, span);
        store(heap, at, span);
    } else {
        const Index last = load(heap, head + SPAN_PREVIOUS);

        store(heap, span + SPAN_NEXT, head);
        store(heap, span + SPAN_PREVIOUS, last);
        store(heap, last + SPAN_NEXT, span);
        store(heap, head + SPAN_PREVIOUS, span);
{%- if layer.last %}
        store(heap, at, span);
{%- endif %}
    }
}

/* Takes a span out of its ring; where it was the head, there is another. */
static void span_leave(Heap *heap, Index span, Place ring)
{
    const Place at = heap->spans + SPAN_HEADS + ring;
    const Index next = load(heap, span + SPAN_NEXT);

    if (next == span) {
        store(heap, at, 0U);
    } else {
        const Index previous = load(heap, span + SPAN_PREVIOUS);

        store(heap, previous + SPAN_NEXT, next);
        store(heap, next + SPAN_PREVIOUS, previous);
        if (load(heap, at) == span) {
            store(heap, at, {% if layer.ranked %}span_best(heap, next){% else %}next{% endif %});
        }
    }
}
{%- if layer.keep %}

/* Counts an empty span of a ring more, or one less. */
static void count_empty(Heap *heap, Place ring, bool more)
{
    const Place own = heap->spans + SPAN_HEADS + SPAN_RINGS + ring;
    const Index change = more ? 1U : ~(Index)0U;

    store(heap, own, load(heap, own) + change);
    store(heap, heap->spans + SPANS_EMPTY, load(heap, heap->spans + SPANS_EMPTY) + change);
}
{%- endif %}

/* Makes the table long enough for the span that begins at `start`. Returns whether it is. */
static bool span_cover(Heap *heap, Index start)
{
    const Index needed = unit_of(heap, start) + SPAN_UNITS;
    const Index capacity = load(heap, heap->spans + SPAN_CAPACITY);
    const Index old = load(heap, heap->spans + SPAN_TABLE);
    /* Twice as long, so that all moves together cost no more than a word for each unit. */
    Index length = (needed > (2U * capacity)) ? needed : (2U * capacity);
    Index table;

    if (needed <= capacity) {
        return true;
    }
    table = {{ layer.below.allocate }}(heap, (size_t)length * WORD, 1U);
    if (table == 0U) {
        length = needed;
        table = {{ layer.below.allocate }}(heap, (size_t)length * WORD, 1U);
    }
    if (table == 0U) {
        return false;
    }
    for (Index unit = 0U; unit < length; unit++) {
        fill(heap, table + unit, (unit < capacity) ? load(heap, old + unit) : 0U);
    }
    store(heap, heap->spans + SPAN_TABLE, table);
    store(heap, heap->spans + SPAN_CAPACITY, length);
    if (old != 0U) {
        span_return(heap, old);
    }
    return true;
}

/* A place for a span, which begins a unit; or 0. */
static Index span_place(Heap *heap)
{
    Index at = {{ layer.below.allocate }}(heap, SPAN_BYTES, 1U);

    if ((at != 0U) && (((at + heap->span_grid) & (((Index)1U << UNIT_SHIFT) - 1U)) != 0U)) {
        span_return(heap, at);
        at = 0U;
    }
    return (at != 0U) ? at : {{ layer.below.allocate }}(heap, SPAN_BYTES, (size_t)WORD << UNIT_SHIFT);
}

{%- if shared %}

/* The class of the span over each unit, from 1; 0 where there is none, or a class has no number{% if layer.owners %}; and 256 times its owner{% endif %}. A block's entry does not change
 * while the block is used: who has it reads it past the lock. */
#define SPAN_NUMBERS 255U
static {{ "uint16_t" if layer.owners else "uint8_t" }} span_classes[({{ reserve }} / ((size_t)WORD << UNIT_SHIFT)) + 2U];
{%- endif %}

/* Writes the entries of a span that begins at `start`{% if shared %}, and tells others the number of its class, or 0{% if layer.owners %}, and its owner{% endif %}{% endif %}. */
static void span_enter_table(Heap *heap, Index start, Index entry{% if shared %}, Index number{% if layer.owners %}, Index owner{% endif %}{% endif %})
{
    const Index first = load(heap, heap->spans + SPAN_TABLE) + unit_of(heap, start);
{%- if shared %}
{%- if layer.owners %}
    const uint16_t told = (uint16_t)(((number <= SPAN_NUMBERS) ? number : 0U) + (owner * (SPAN_NUMBERS + 1U)));
{%- else %}
    const uint8_t told = (number <= SPAN_NUMBERS) ? (uint8_t)number : 0U;
{%- endif %}
{%- endif %}

    for (Index unit = 0U; unit < SPAN_UNITS; unit++) {
        fill(heap, first + unit, entry);
{%- if shared %}
        __atomic_store_n(&span_classes[unit_of(heap, start) + unit], told, __ATOMIC_RELAXED);
{%- endif %}
    }
}

/* Opens a span of a ring, or returns 0. */
static Index span_open(Heap *heap, Place ring)
{
    const Index start = span_place(heap);
    Index span;

    if (start == 0U) {
        return 0U;
    }
{%- if layer.outside %}
    span = {{ layer.below.allocate }}(heap, (size_t)SPAN_RECORD * WORD, 1U);
    if ((span == 0U) || !span_cover(heap, start)) {
        if (span != 0U) {
            span_return(heap, span);
        }
        span_return(heap, start);
        return 0U;
    }
{%- else %}
    span = start;
    if (!span_cover(heap, start)) {
        span_return(heap, start);
        return 0U;
    }
{%- endif %}
    span_enter_table(heap, start, span{% if shared %}, (Index){{ class_of("ring") }} + 1U{% if layer.owners %}, (Index)(ring / SPAN_CLASSES){% endif %}{% endif %});
    for (Index at = SPAN_CLASS; at < SPAN_RECORD; at++) {
        fill(heap, span + at, 0U);
    }
    store(heap, span + SPAN_CLASS, (Index)ring);
    store(heap, span + SPAN_FRESH, SPAN_FIRST);
{%- if layer.outside %}
    store(heap, span + SPAN_START, start);
{%- endif %}
    span_enter(heap, span, ring);
    store(heap, heap->spans + SPANS, load(heap, heap->spans + SPANS) + 1U);
    return span;
}

/* Returns a span that is in no ring and has no used block, and the table with the last one. */
static void span_close(Heap *heap, Index span)
{
    const Index start = span_start(heap, span);
    const Index left = load(heap, heap->spans + SPANS) - 1U;

    span_enter_table(heap, start, 0U{% if shared %}, 0U{% if layer.owners %}, 0U{% endif %}{% endif %});
    store(heap, heap->spans + SPANS, left);
    span_return(heap, start);
{%- if layer.outside %}
    span_return(heap, span);
{%- endif %}
    if (left == 0U) {
        const Index table = load(heap, heap->spans + SPAN_TABLE);

        store(heap, heap->spans + SPAN_TABLE, 0U);
        store(heap, heap->spans + SPAN_CAPACITY, 0U);
        span_return(heap, table);
    }
}
{%- if layer.keep %}

/* Returns the empty spans that were kept. Returns whether there was one. */
static bool spans_flush(Heap *heap)
{
    if (load(heap, heap->spans + SPANS_EMPTY) == 0U) {
        return false;
    }
    for (Index ring = 0U; ring < SPAN_RINGS; ring++) {
        Index left = load(heap, heap->spans + SPAN_HEADS + SPAN_RINGS + ring);
        Index span = load(heap, heap->spans + SPAN_HEADS + ring);

        while (left != 0U) {
            const Index next = load(heap, span + SPAN_NEXT);

            if (load(heap, span + SPAN_USED) == 0U) {
                span_leave(heap, span, ring);
                count_empty(heap, ring, false);
                span_close(heap, span);
                left--;
            }
            span = next;
        }
    }
    return true;
}
{%- endif %}

/* A block of a span with room. */
static inline Index span_serve(Heap *heap, Place span, Place size_class)
{
{%- if layer.bitmap %}
    const Index words = span_class_words(size_class);
{%- endif %}
    const Index used = load(heap, span + SPAN_USED);
    Index block;
{% if layer.bitmap %}
    block = load(heap, span + SPAN_FRESH);
    if (block == (SPAN_FIRST + (used * words))) {
        store(heap, span + SPAN_FRESH, block + words);
        block += span_start(heap, span);
    } else {
        Index at = load(heap, span + SPAN_HINT);
        Index bits = load(heap, span + SPAN_MAP + at);

        /* S2: one of the blocks that were used is free, and so has a bit. */
        if (bits == 0U) {
            do {
                at++;
                bits = load(heap, span + SPAN_MAP + at);
            } while (bits == 0U);
            store(heap, span + SPAN_HINT, at);
        }
        store(heap, span + SPAN_MAP + at, bits & (bits - 1U));
        block = span_start(heap, span) + SPAN_FIRST + (((at * MAP_BITS) + lowest_bit(bits)) * words);
    }
{%- else %}
    block = load(heap, span + SPAN_FREE);
    if (block != 0U) {
        store(heap, span + SPAN_FREE, load(heap, block));
    } else {
        block = load(heap, span + SPAN_FRESH);
        store(heap, span + SPAN_FRESH, block + span_class_words(size_class));
        block += span_start(heap, span);
    }
{%- endif %}
    store(heap, span + SPAN_USED, used + 1U);
    return block;
}

/* Takes a block of a span with room, which is the head of its ring{% if layer.keep %}: an empty one is kept no longer, and{% else %}:{% endif %} a full one leaves the ring. */
RARE Index span_take(Heap *heap, Index span, Place ring)
{
    const Place size_class = {{ class_of("ring") }};
    const Index used = load(heap, span + SPAN_USED);
    const Index block = span_serve(heap, span, size_class);
{% if layer.keep %}
    if (used == 0U) {
        count_empty(heap, ring, false);
    }
{%- endif %}
    if (fills_span(used + 1U, size_class)) {
        span_leave(heap, span, ring);
    }
    return block;
}

/* Whether a block more in a span with `used` of them makes it {% if layer.keep %}one that is not empty, or {% endif %}full. */
static inline bool changes_ring(Index used, Place size_class)
{
    return {% if layer.keep %}(used == 0U) || {% endif %}fills_span(used + 1U, size_class);
}

/* Notes that a block of a span is free, of which `used` were used. */
static inline void span_mark(Heap *heap, Place span, Place block, Index used{% if layer.bitmap %}, Place size_class{% endif %})
{
{%- if layer.bitmap %}
    const Index number = times_in(((Index)block - span_start(heap, span)) - SPAN_FIRST, span_class_words(size_class));
    const Index at = number / MAP_BITS;

    store(heap, span + SPAN_MAP + at, load(heap, span + SPAN_MAP + at) | ((Index)1U << (number % MAP_BITS)));
    if (at < load(heap, span + SPAN_HINT)) {
        store(heap, span + SPAN_HINT, at);
    }
{%- else %}
    store(heap, block, load(heap, span + SPAN_FREE));
    store(heap, span + SPAN_FREE, (Index)block);
{%- endif %}
    store(heap, span + SPAN_USED, used - 1U);
}

/* Puts back a block of a span that is full, or has no other. */
RARE void span_turn(Heap *heap, Index span, Index block)
{
    const Index ring = load(heap, span + SPAN_CLASS);
    const Index size_class = {{ class_of("ring") }};
    const Index used = load(heap, span + SPAN_USED);
    const bool was_full = fills_span(used, size_class);

    if ({% if layer.keep %}(used == 1U) && (load(heap, heap->spans + SPAN_HEADS + SPAN_RINGS + ring) >= SPANS_KEPT){% else %}used == 1U{% endif %}) {
        if (!was_full) {
            span_leave(heap, span, ring);
        }
        span_close(heap, span);
        return;
    }
    span_mark(heap, span, block, used{% if layer.bitmap %}, size_class{% endif %});
    if (was_full) {
        span_enter(heap, span, ring);
    }
{%- if layer.keep %}
    if (used == 1U) {
        count_empty(heap, ring, true);
    }
{%- endif %}
}

/* Serves a request that is for no class, or of whose class no span can be had. */
static Index spans_below(Heap *heap, size_t size, size_t alignment)
{
    return {{ layer.below.allocate }}(heap, size, alignment);
}

/* Serves a request of a class of which no span has room. */
RARE Index spans_miss(Heap *heap, Place size_class, size_t size, size_t alignment)
{
    const Place ring = {{ ring("size_class") }};
    Index span = span_open(heap, ring);
{% if layer.keep %}
    if ((span == 0U) && spans_flush(heap)) {
        span = span_open(heap, ring);
    }
{%- endif %}
    if (span == 0U) {
        return spans_below(heap, size, alignment);
    }
{%- if layer.keep %}
    /* As one that is kept. */
    count_empty(heap, ring, true);
{%- endif %}
    return span_take(heap, span, ring);
}

static bool spans_init(Heap *heap)
{
    heap->span_grid = (Index)((address_of(heap->words) % SPAN_GRID) / WORD);
    if (!{{ layer.below.init }}(heap)) {
        return false;
    }
    heap->spans = {{ layer.below.allocate }}(heap, (size_t)SPAN_OWN * WORD, 1U);
    if (heap->spans == 0U) {
        return false;
    }
    for (Index at = 0U; at < SPAN_OWN; at++) {
        fill(heap, heap->spans + at, 0U);
    }
    return true;
}

/* Serves a request for more than the largest class, for no byte, or for an alignment of its own. */
RARE Index spans_apart(Heap *heap, size_t size, size_t alignment)
{
    const Place size_class = span_class_aligned(size, alignment);
    Index span;

    if ((alignment & (alignment - 1U)) != 0U) {
        return 0U;
    }
    if (size_class == SPAN_CLASSES) {
{%- if layer.keep %}
        const Index block = spans_below(heap, size, alignment);

        return ((block == 0U) && spans_flush(heap)) ? spans_below(heap, size, alignment) : block;
{%- else %}
        return spans_below(heap, size, alignment);
{%- endif %}
    }
    span = load(heap, heap->spans + SPAN_HEADS + {{ ring("size_class") }});
    return (span != 0U) ? span_take(heap, span, {{ ring("size_class") }}) : spans_miss(heap, size_class, size, alignment);
}

/* A block of a span that had room before and has after, or 0. */
static inline Place spans_hit(Heap *heap, size_t size)
{
    if ((size - 1U) < SPAN_LARGEST) {
        const Place size_class = span_class_for(size);
        const Place span = load(heap, heap->spans + SPAN_HEADS + {{ ring("size_class") }});

        if ((span != 0U) && !changes_ring(load(heap, span + SPAN_USED), size_class)) {
            return span_serve(heap, span, size_class);
        }
    }
    return 0U;
}

static inline Index spans_allocate(Heap *heap, size_t size, size_t alignment)
{
    const bool is_plain = (alignment <= SPAN_ALIGNMENT) && ((alignment & (alignment - 1U)) == 0U);
    const Index block = is_plain ? (Index)spans_hit(heap, size) : 0U;

    return (block != 0U) ? block : spans_apart(heap, size, alignment);
}

/* Puts back a block of a span that is full or has no other, or of none. */
RARE void spans_turn(Heap *heap, Place block)
{
    const Index span = span_of(heap, block);

    if (span == 0U) {
        span_return(heap, (Index)block);
    } else {
        span_turn(heap, span, (Index)block);
    }
}

static inline void spans_free(Heap *heap, Place block)
{
    const Place span = span_of(heap, block);

    if (span != 0U) {
        const Place size_class = {{ class_of("load(heap, span + SPAN_CLASS)") }};
        const Index used = load(heap, span + SPAN_USED);

        if ((used != 1U) && !fills_span(used, size_class)) {
            span_mark(heap, span, block, used{% if layer.bitmap %}, size_class{% endif %});
            return;
        }
    }
    spans_turn(heap, block);
}

static size_t spans_usable(const Heap *heap, Index block)
{
    const Index span = span_of(heap, block);

    return (span != 0U) ? ((size_t)span_class_words({{ class_of("load(heap, span + SPAN_CLASS)") }}) * WORD)
                        : {{ layer.below.usable }}(heap, block);
}
{%- if layer.is_measured %}

static size_t spans_block_bytes(const Heap *heap, Index block)
{
    const Index span = span_of(heap, block);

    return (span != 0U) ? ((size_t)span_class_words({{ class_of("load(heap, span + SPAN_CLASS)") }}) * WORD)
                        : {{ layer.below.block_bytes }}(heap, block);
}
{%- endif %}

static Index spans_reallocate(Heap *heap, Index block, size_t size, size_t alignment)
{
    const Index span = span_of(heap, block);
    const bool stays = (alignment == 0U) || ((address_of(&heap->words[block]) & (alignment - 1U)) == 0U);
    Index moved;
    Index size_class;
    size_t old_bytes;

    if (span == 0U) {
        moved = {{ layer.below.reallocate }}(heap, block, size, alignment);
{%- if layer.keep %}
        if ((moved == 0U) && spans_flush(heap)) {
            moved = {{ layer.below.reallocate }}(heap, block, size, alignment);
        }
{%- endif %}
        return moved;
    }
    size_class = {{ class_of("load(heap, span + SPAN_CLASS)") }};
    if (stays && (span_class_aligned(size, 1U) == size_class)) {
        return block;
    }
    old_bytes = (size_t)span_class_words(size_class) * WORD;
    moved = spans_allocate(heap, size, alignment);
    if (moved != 0U) {
        copy(heap, moved, block, (old_bytes < size) ? old_bytes : size);
        spans_free(heap, block);
    } else if (stays && (size > 0U) && (size <= old_bytes)) {
        /* A smaller block is a saving, not a need. */
        moved = block;
    } else {
        /* It is refused. */
    }
    return moved;
}
{% include "layer/spans/check.c" %}
{%- if walks %}{% include "layer/spans/walk.c" %}{% endif %}
