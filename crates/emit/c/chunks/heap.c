{%- if pool.ends %}
/* Bytes of the smallest request that is served from above. */
#define ABOVE {{ pool.ends }}

/* Words of the region outside of the middle. */
static Index in_use(const Heap *heap)
{
    const Index middle = load(heap, MIDDLE);

    return (heap->end - HEAD) - ((middle != 0U) ? words_of(load(heap, middle - 1U)) : 0U);
}

/* The middle, if it is between these, is the free chunk `at` now; 0 is none. */
static void middle_becomes(Heap *heap, Index from, Index end, Index at)
{
    const Index middle = load(heap, MIDDLE);

    if ((middle >= from) && (middle < end)) {
        store(heap, MIDDLE, at);
    }
}

/* Counts what is in use. */
static void mark(Heap *heap)
{
    if (in_use(heap) > load(heap, HIGH)) {
        store(heap, HIGH, in_use(heap));
    }
}
{%- else %}
/* Counts what is before the header of the chunk at `end` as used. */
static void mark(Heap *heap, Index end)
{
    if ((end - HEAD) > load(heap, HIGH)) {
        store(heap, HIGH, end - HEAD);
    }
}
{%- endif %}

{%- set unlinked = pool.has_unlinked %}

/* Makes a used chunk of the first `need` of `words` words; the remainder is in its list if `is_linked` says so. */
static void cut(Heap *heap, Index block, Index words, Index need, bool is_linked)
{
    const Index left = words - need;

    if (left < REMAINDER) {
        write_chunk(heap, block, words, USED);
{%- if pool.head == "tags" %}
        tell_status(heap, block + words, USED);
{%- endif %}
{%- if pool.ends %}
        middle_becomes(heap, block, block + words, 0U);
        mark(heap);
{%- else %}
        mark(heap, block + words);
{%- endif %}
        return;
    }
    write_chunk(heap, block, need, USED);
    store(heap, (block + need) - 1U, header(left, 0U));
    tell_right(heap, block, need, USED);
    tell_right(heap, block + need, left, 0U);
    if (!is_linked{% if unlinked %} && (left >= MIN_BLOCK){% endif %}) {
        insert_chunk(heap, block + need, left);
    }
{%- if pool.ends %}
    middle_becomes(heap, block, block + words, block + need);
    mark(heap);
{%- else %}
    mark(heap, block + need);
{%- endif %}
}

static bool pool_init(Heap *heap)
{
{%- if pool.unit > 1 %}
    const Index base = (Index)((address_of(heap->words) / WORD) & (UNIT - 1U));
{%- endif %}
    Index words;
{% if pool.unit > 1 %}
    heap->first = ((base + CONTROL + HEAD + (UNIT - 1U)) & ~((Index)UNIT - 1U)) - base;
{%- endif %}
    if (({{ first }} + MIN_BLOCK) > heap->length) {
        return false;
    }
    words = heap->length - {{ first }};
{%- if pool.unit > 1 %}
    words &= ~((Index)UNIT - 1U);
{%- endif %}
    heap->end = {{ first }} + words;
    store(heap, TOP, heap->end);
    store(heap, HIGH, {{ first }} - HEAD);
{%- if index.kind == "two_level" or pool.lists == "rings" %}
    for (Index at = INDEX; at < LAYERS; at++) {
        fill(heap, at, 0U);
    }
{%- elif pool.ends %}
    fill(heap, LIST, 0U);
    fill(heap, TAIL, 0U);
    store(heap, MIDDLE, {{ first }});
{%- else %}
    store(heap, LIST, 0U);
{%- endif %}
    store(heap, heap->end - 1U, header(0U, USED));
    store(heap, {{ first }} - 1U, header(words, 0U));
    tell_right(heap, {{ first }}, 0U, USED);
    tell_right(heap, {{ first }}, words, 0U);
    insert_chunk(heap, {{ first }}, words);
    return true;
}

/* A chunk at a multiple of more bytes than a unit has, or 0: what is before it is free. */
static Index allocate_coarse(Heap *heap, Index need, size_t alignment)
{
    const Index step = (Index)(alignment / WORD);
    const Index base = (Index)(address_of(heap->words) / WORD);
    Index block;
    Index words;
    Index gap;

    if (((alignment & (alignment - 1U)) != 0U) || is_too_coarse(alignment)) {
        return 0U;
    }
    block = find_chunk(heap, need + step + {% if unlinked %}REMAINDER{% else %}MIN_BLOCK{% endif %});
    if (block == 0U) {
        return 0U;
    }
    words = words_of(load(heap, block - 1U));
    remove_chunk(heap, block, words);
    gap = (step - ((base + block) & (step - 1U))) & (step - 1U);
    if (gap > 0U) {
{%- set smallest = pool.remainder if unlinked else pool.min %}
{%- if smallest > pool.unit %}
        if (gap < {% if unlinked %}REMAINDER{% else %}MIN_BLOCK{% endif %}) {
            gap += (({% if unlinked %}REMAINDER{% else %}MIN_BLOCK{% endif %} - gap) + (step - 1U)) & ~(step - 1U);
        }
{%- endif %}
        write_chunk(heap, block, gap, 0U);
        store(heap, (block + gap) - 1U, header(words - gap, USED));
        tell_right(heap, block, gap, 0U);
{%- if unlinked %}
        if (gap >= MIN_BLOCK) {
            insert_chunk(heap, block, gap);
        }
{%- else %}
        insert_chunk(heap, block, gap);
{%- endif %}
{%- if pool.ends %}
        middle_becomes(heap, block, block + words, block + gap);
{%- endif %}
        block += gap;
        words -= gap;
    }
    tell_right(heap, block, words, USED);
    cut(heap, block, words, need, false);
    return block;
}

{%- if pool.ends %}
/* The upper end of the last chunk of `need` words, or 0: what remains keeps its place. */
static Index allocate_above(Heap *heap, Index need)
{
    const Index block = find_last(heap, need);
    Index words;
    Index left;

    if (block == 0U) {
        return 0U;
    }
    words = words_of(load(heap, block - 1U));
    left = words - need;
    if (left < {% if pool.remainder > pool.min %}REMAINDER{% else %}MIN_BLOCK{% endif %}) {
        remove_chunk(heap, block, words);
        cut(heap, block, words, need, false);
        return block;
    }
    write_chunk(heap, block, left, 0U);
    store(heap, (block + left) - 1U, header(need, USED));
    tell_right(heap, block, left, 0U);
    tell_right(heap, block + left, need, USED);
    mark(heap);
    return block + left;
}

{% endif %}
static Index pool_allocate(Heap *heap, size_t size, size_t alignment)
{
    const Index need = words_for(heap, size);
    Index block;
    Index words;
{%- if pool.keeps_place %}
    bool keeps_place;
{%- endif %}

    if (need == 0U) {
        return 0U;
    }
    if ((alignment > ALIGNMENT) || ((alignment & (alignment - 1U)) != 0U)) {
        return allocate_coarse(heap, need, alignment);
    }
{%- if pool.ends %}
    if (size >= ABOVE) {
        return allocate_above(heap, need);
    }
{%- endif %}
    block = find_chunk(heap, need);
    if (block == 0U) {
        return 0U;
    }
    words = words_of(load(heap, block - 1U));
{%- if pool.keeps_place %}
    keeps_place = ((words - need) >= {% if pool.remainder > pool.min %}REMAINDER{% else %}MIN_BLOCK{% endif %});
    if (keeps_place) {
        replace_chunk(heap, block, block + need);
    } else {
        remove_chunk(heap, block, words);
    }
    cut(heap, block, words, need, keeps_place);
{%- else %}
    remove_chunk(heap, block, words);
    cut(heap, block, words, need, false);
{%- endif %}
    return block;
}
{%- if pool.joins %}

/* Takes a free chunk out of its list{% if unlinked %}; one that is too small for links is in none{% endif %}. */
static void take_out(Heap *heap, Index block, Index words)
{
{%- if unlinked %}
    if (words >= MIN_BLOCK) {
        remove_chunk(heap, block, words);
    }
{%- else %}
    remove_chunk(heap, block, words);
{%- endif %}
}
{%- endif %}

/* Makes a chunk free{% if pool.joins %}, and joins it to its free neighbours{% endif %}. */
static void release(Heap *heap, Index block, Index words)
{
{%- if pool.joins %}
    const Index right = block + words;
    const Index left = (block == {{ first }}) ? 0U : free_left(heap, block);
    Index from = block;
    Index all = words;
    bool is_linked = false;

    if (!is_used(load(heap, right - 1U))) {
        take_out(heap, right, words_of(load(heap, right - 1U)));
        all += words_of(load(heap, right - 1U));
    }
    if (left != 0U) {
{%- if pool.keeps_place %}
        is_linked = {% if unlinked %}(block - left) >= MIN_BLOCK{% else %}true{% endif %};
{%- else %}
        take_out(heap, left, block - left);
{%- endif %}
        from = left;
        all += block - left;
    }
{%- else %}
    const Index from = block;
    const Index all = words;
    const bool is_linked = false;
{% endif %}
    write_chunk(heap, from, all, 0U);
    tell_right(heap, from, all, 0U);
    if (!is_linked{% if unlinked %} && (all >= MIN_BLOCK){% endif %}) {
        insert_chunk(heap, from, all);
    }
{%- if pool.ends %}
    if (load(heap, MIDDLE) == 0U) {
        store(heap, MIDDLE, from);
    }
    middle_becomes(heap, from, from + all, from);
{%- endif %}
}

static void pool_free(Heap *heap, Index block)
{
    release(heap, block, words_of(load(heap, block - 1U)));
}

/* Resizes the block to `size` bytes in place, if it can. */
static bool pool_resize(Heap *heap, Index block, size_t size)
{
    const Index need = words_for(heap, size);
    const Index words = words_of(load(heap, block - 1U));

    if (need == 0U) {
        return false;
    }
    if (need > words) {
{%- if pool.joins %}
        const Index right = block + words;
        const Index more = words_of(load(heap, right - 1U));

        if (is_used(load(heap, right - 1U)) || ((words + more) < need)) {
            return false;
        }
        take_out(heap, right, more);
        tell_right(heap, block, words + more, USED);
        cut(heap, block, words + more, need, false);
        return true;
{%- else %}
        return false;
{%- endif %}
    }
    if ((words - need) >= REMAINDER) {
        write_chunk(heap, block, need, USED);
        store(heap, (block + need) - 1U, header(words - need, USED));
        tell_right(heap, block, need, USED);
        release(heap, block + need, words - need);
    }
    return true;
}

{%- if asks_for_usable %}
/* Bytes that the owner of the block may use. */
static size_t pool_usable(const Heap *heap, Index block)
{
    return ((size_t)words_of(load(heap, block - 1U)) - HEAD) * WORD;
}
{%- endif %}

/* {% if "counters" in extras %}Says how much is in use{% else %}Counts the blocks{% endif %}. */
static void pool_statistics(const Heap *heap, struct {{ n }}_statistics *counts)
{
{%- if "counters" not in extras %}
    const Index top = {% if pool.ends %}heap->end{% else %}top_of(heap){% endif %};
{% endif %}
    counts->footprint = (size_t)({{ footprint }}) * WORD;
    counts->footprint_peak = (size_t)load(heap, HIGH) * WORD;
{%- if "counters" not in extras %}
    for (Index block = {{ first }}; block < top; block += words_of(load(heap, block - 1U))) {
        const size_t payload = ((size_t)words_of(load(heap, block - 1U)) - HEAD) * WORD;

        if (is_used(load(heap, block - 1U))) {
            counts->used_blocks++;
            counts->used_bytes += payload;
        } else{% if pool.ends %} if (block != load(heap, MIDDLE)){% endif %} {
            counts->free_blocks++;
            counts->free_bytes += payload;
            counts->largest_free = (payload > counts->largest_free) ? payload : counts->largest_free;
        }{% if pool.ends %} else {
            /* The wilderness. */
        }{% endif %}
    }
{%- endif %}
}
