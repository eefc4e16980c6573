
/* ---- Freeing{% if pool.merges or pool.sweeps %} and coalescing{% endif %} ------------------------------------------------------------------ */
{%- if pool.links_alone %}

/* Makes a used block free as it is. */
static void link_alone(Heap *heap, Index block, Index words, Index flags)
{
    write_free(heap, block, words, flags);
{%- if index.linked %}
    {{ insert("block", "words") }};
{%- endif %}
{%- if pool.tags %}
    tell_next(heap, block + words, false);
{%- endif %}
{%- if pool.apart %}
    heap->touching = true;
{%- endif %}
}
{%- endif %}
{%- if pool.merges %}
{%- if not pool.tags and not index.locates %}

/* The free block that ends where `block` begins, or 0, found by a search from the first block. */
static Index search_from_start(const Heap *heap, Index block)
{
    Index before = {{ first }};

    while (before < block) {
        const Index head = load(heap, before - 1U);

        if ((before + {{ size_of }}(head)) == block) {
            return is_used(head) ? 0U : before;
        }
        before += {{ size_of }}(head);
    }
    return 0U;
}
{%- endif %}

/* Makes a used block free together with its free neighbours. */
static void merge_neighbours(Heap *heap, Index block, Index words, Index flags)
{
    const Index next_head = load(heap, (block + words) - 1U);
    Index previous = 0U;
{%- if index.linked %}
    Index next = 0U;
{%- elif pool.tags %}
    bool next_is_used = true;
{%- endif %}
    Index merged = block;
    Index merged_words = words;
    Index merged_flags = flags;
{%- if index.locates %}
    const Index place = index_locate(heap, block);
{%- endif %}
{% if pool.tags %}
    if ((flags & PREVIOUS_USED) == 0U) {
        previous = block - load(heap, block - 2U);
    }
{%- elif index.locates %}
    if ((place != 0U) && ((place + words_of(load(heap, place - 1U))) == block)) {
        previous = place;
    }
{%- else %}
    previous = search_from_start(heap, block);
{%- endif %}
    if (previous != 0U) {
{%- if checked %}
        store(heap, block - 1U, 0U); /* no header of a used block any more */
{%- endif %}
        merged = previous;
        merged_words += block - previous;
        merged_flags = {% if pool.tags %}load(heap, previous - 1U) & PREVIOUS_USED{% else %}0U{% endif %};
    }
    if (words_of(next_head) == 0U) {
        /* The wilderness follows: it begins earlier now. */
{%- if index.linked %}
        if (previous != 0U) {
            {{ remove("previous", "block - previous") }};
        }
{%- endif %}
{%- if index.absorbs %}
        index_absorb(heap, merged, merged + merged_words + 1U, {{ first }});
{%- endif %}
        set_top(heap, merged, merged_flags);
        return;
    }
    if (!is_used(next_head)) {
{%- if index.linked %}
        next = block + words;
{%- elif pool.tags %}
        next_is_used = false;
{%- endif %}
        merged_words += words_of(next_head);
    }
{%- if index.kind == "list" and index.order == "address" %}
    if (previous != 0U) {
        /* The block before grows and keeps its place. */
        if (next != 0U) {
            index_remove(heap, next);
        }
    } else if (next != 0U) {
        index_replace(heap, next, merged);
    } else {
{%- if index.locates %}
        index_insert_at(heap, merged, place);
{%- else %}
        index_insert(heap, merged);
{%- endif %}
    }
{%- elif index.linked %}
    if (previous != 0U) {
        {{ remove("previous", "block - previous") }};
    }
    if (next != 0U) {
        {{ remove("next", "words_of(next_head)") }};
    }
    {{ insert("merged", "merged_words") }};
{%- endif %}
{%- if index.absorbs %}
    index_absorb(heap, merged + 1U, merged + merged_words, merged);
{%- endif %}
    write_free(heap, merged, merged_words, merged_flags);
{%- if pool.tags %}
    if ({% if index.linked %}next == 0U{% else %}next_is_used{% endif %}) {
        tell_next(heap, merged + merged_words, false);
    }
{%- endif %}
}
{%- endif %}
{%- if pool.sweeps %}

/* Joins to a free block the free blocks that follow, and returns its words; 0 if all became wilderness. */
static Index gather(Heap *heap, Index block, Index words, Index flags)
{
    Index merged = words;

    for (;;) {
        const Index next = block + merged;
        const Index head = load(heap, next - 1U);

        if (words_of(head) == 0U) {
{%- if index.linked %}
            {{ remove("block", "words") }};
{%- endif %}
{%- if index.absorbs %}
            index_absorb(heap, block, next + 1U, {{ first }});
{%- endif %}
            set_top(heap, block, flags);
            return 0U;
        }
        if (is_used(head)) {
            break;
        }
{%- if index.linked %}
        {{ remove("next", "words_of(head)") }};
{%- endif %}
        merged += words_of(head);
    }
    if (merged > words) {
{%- if index.by_size %}
        index_remove(heap, block, words);
        index_insert(heap, block, merged);
{%- endif %}
{%- if index.absorbs %}
        index_absorb(heap, block + 1U, block + merged, block);
{%- endif %}
        write_free(heap, block, merged, flags);
    }
    return merged;
}

/* Makes one of all free blocks that touch, over the whole region. */
static void sweep(Heap *heap)
{
    Index block = {{ first }};
    Index head = load(heap, block - 1U);

    while (words_of(head) != 0U) {
        Index words = {{ size_of }}(head);

        if (!is_used(head)) {
            words = gather(heap, block, words, head & PREVIOUS_USED);
            if (words == 0U) {
                break;
            }
        }
        block += words;
        head = load(heap, block - 1U);
    }
{%- if pool.apart %}
    heap->touching = false;
{%- endif %}
}
{%- endif %}

/* Frees a used block whose header was read. */
static void pool_release(Heap *heap, Index block, Index head)
{
    const Index words = words_of(head);
    const Index flags = head & PREVIOUS_USED;
{% if pool.merges and pool.coalesce_from %}
    if (words >= COALESCE_FROM) {
        merge_neighbours(heap, block, words, flags);
    } else {
        link_alone(heap, block, words, flags);
    }
{%- elif pool.merges %}
    merge_neighbours(heap, block, words, flags);
{%- else %}
    link_alone(heap, block, words, flags);
{%- if pool.every_call %}
    sweep(heap);
{%- endif %}
{%- endif %}
}
