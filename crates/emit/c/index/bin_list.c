
/* ---- A bin: a list, {{ index.order_text }} ---- */
{%- if index.tries %}

/* This many blocks of a bin are looked at before a bin of larger blocks serves. */
#define TRIES {{ index.tries }}U
{%- endif %}

static inline bool bin_is_empty(const Heap *heap, Index root)
{
    return load(heap, root) == 0U;
}
{%- if index.tries %}

/* The first of at most TRIES blocks of the bin that has `need` words, or 0; `behind` is the block after them. */
static Index bin_find(const Heap *heap, Index root, Index need, Index *behind)
{
    Index block = load(heap, root);

    for (Index left = TRIES; (block != 0U) && (left > 0U); left--) {
        if (words_of(load(heap, block - 1U)) >= need) {
            return block;
        }
        block = load(heap, block + NEXT);
    }
    *behind = block;
    return 0U;
}

/* The first block from `block` on that has `need` words, or 0. */
static Index bin_find_on(const Heap *heap, Index from, Index need)
{
    Index block = from;

    while ((block != 0U) && (words_of(load(heap, block - 1U)) < need)) {
        block = load(heap, block + NEXT);
    }
    return block;
}
{%- else %}

/* The first block of the bin that has `need` words, or 0{% if index.order == "size" %}: the smallest, as the bin is sorted{% endif %}. */
static Index bin_find(const Heap *heap, Index root, Index need)
{
    Index block = load(heap, root);

    while ((block != 0U) && (words_of(load(heap, block - 1U)) < need)) {
        block = load(heap, block + NEXT);
    }
    return block;
}
{%- endif %}

static void bin_insert(Heap *heap, Index root, Index block, Index words)
{
{%- if index.order == "size" %}
    Index previous = 0U;
    Index next = load(heap, root);

    while ((next != 0U) && (words_of(load(heap, next - 1U)) < words)) {
        previous = next;
        next = load(heap, next + NEXT);
    }
    chain_insert_after(heap, root, previous, block);
{%- else %}
    (void)words; /* the order does not depend on it */
    {{ "chain_push_back" if index.order == "fifo" else "chain_push_front" }}(heap, root, block);
{%- endif %}
}

static void bin_remove(Heap *heap, Index root, Index block)
{
    (void)chain_unlink(heap, root, block);
}
