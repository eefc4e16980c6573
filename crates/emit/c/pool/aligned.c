{%- set smallest = "REMAINDER" if pool.splits and pool.remainder else "MIN_BLOCK" %}

/* ---- Alignments above the heap's own ----------------------------------------------------------
 *
 * The gap before an aligned payload becomes a free block, as the header must be right before
 * the payload.
 */

/* Words from `at` to the next aligned payload that leaves no gap, or one large enough to be a block. */
static Index gap_before(const Heap *heap, Index at, Index step)
{
    const Index base = (Index)(address_of(heap->words) / WORD);
    const Index gap = (step - ((base + at) & (step - 1U))) & (step - 1U);

    if ((gap == 0U) || (gap >= MIN_BLOCK)) {
        return gap;
    }
    return gap + (((MIN_BLOCK - gap) + (step - 1U)) & ~(step - 1U));
}

/* Takes an aligned block out of a free one; the gap{% if pool.splits %} and the rest{% endif %} stay free. */
static Index carve(Heap *heap, Index free_block, {% if pool.split_from %}size_t size, {% endif %}Index need, Index step)
{
    const Index head = load(heap, free_block - 1U);
    const Index end = free_block + words_of(head);
    const Index gap = gap_before(heap, free_block, step);
    const Index block = free_block + gap;
    Index flags = head & PREVIOUS_USED;

    if (gap != 0U) {
{%- if index.by_size %}
        index_remove(heap, free_block, words_of(head));
        index_insert(heap, free_block, gap);
{%- endif %}
        write_free(heap, free_block, gap, flags);
        flags = 0U;
    }
{%- if index.linked %} else {
        {{ remove("free_block", "words_of(head)") }};
    }
{%- endif %}
{%- if pool.splits %}
    if ({% if pool.split_from %}(((end - block) - need) >= {{ smallest }}) && (size >= SPLIT_FROM){% else %}((end - block) - need) >= {{ smallest }}{% endif %}) {
        const Index remainder = block + need;

        store(heap, block - 1U, header(need, USED | flags));
        write_free(heap, remainder, end - remainder, PREVIOUS_USED);
{%- if index.linked %}
        {{ insert("remainder", "end - remainder") }};
{%- endif %}
        return block;
    }
{%- else %}
    (void)need; /* the rest is not split off */
{%- endif %}
    store(heap, block - 1U, header(end - block, USED | flags));
{%- if pool.tags %}
    tell_next(heap, end, true);
{%- endif %}
    return block;
}

/* Takes an aligned block off the wilderness; the gap before it becomes a free block. */
static Index extend_aligned(Heap *heap, Index need, Index step)
{
    const Index top = load(heap, TOP);
    const Index gap = gap_before(heap, top, step);

    if ((top + gap + need) > heap->length) {
        return 0U;
    }
    if (gap != 0U) {
        extend(heap, top, gap);
        write_free(heap, top, gap, load(heap, top - 1U) & PREVIOUS_USED);
{%- if index.linked %}
        {{ insert("top", "gap") }};
{%- endif %}
{%- if pool.tags %}
        tell_next(heap, top + gap, false);
{%- endif %}
    }
    extend(heap, top + gap, need);
    return top + gap;
}

/* A block at a multiple of `alignment`, which exceeds the heap's own, or 0. */
static Index pool_allocate_aligned(Heap *heap, size_t size, size_t alignment)
{
    const Index need = pool_need(size);
    Index step;
    Index enough;
    Index block;

    if ((need == 0U) || ((alignment & (alignment - 1U)) != 0U) || is_too_coarse(alignment)) {
        return 0U;
    }
{%- if pool.every_call %}
    sweep(heap);
{%- endif %}
    step = (Index)(alignment / WORD);
    /* A free block of this many words holds an aligned payload wherever it lies. */
    enough = need + step + MIN_BLOCK;
    block = {{ found_rarely("index_find(heap, enough)") }};
{%- if pool.deferred %}
    if ((block == 0U) && heap->touching) {
        sweep(heap);
        block = {{ found_rarely("index_find(heap, enough)") }};
    }
{%- endif %}
    return (block != 0U) ? carve(heap, block, {% if pool.split_from %}size, {% endif %}need, step) : extend_aligned(heap, need, step);
}
