
/* ---- The index: all free blocks in one {{ index.each_text }} by size: best fit ---- */

#define ROOT {{ index.roots }}U

/* The smallest free block of `need` words, or 0. */
static Index index_find(const Heap *heap, Index need)
{
    const Index block = small_find(heap, need);

    return (block != 0U) ? block : bin_find(heap, ROOT, need);
}

/* Adds a free block. */
static void index_insert(Heap *heap, Index block, Index words)
{
    if (words < NODE) {
        chain_push_front(heap, small_head(words), block);
    } else {
        bin_insert(heap, ROOT, block, words);
    }
}

/* Takes a free block out. */
static void index_remove(Heap *heap, Index block, Index words)
{
    if (words < NODE) {
        (void)chain_unlink(heap, small_head(words), block);
    } else {
        bin_remove(heap, ROOT, block{% if index.each == "skiplist" %}, words{% endif %});
    }
}

/* Whether a block of `words` belongs among the nodes. */
static inline bool bin_holds(Index bin, Index words)
{
    (void)bin; /* there is one only */
    return words >= NODE;
}
{% include index.check_file %}

/* Verifies the nodes and the small blocks, which together must be `free_blocks`. */
static unsigned int index_check(const Heap *heap, Index top, Index free_blocks)
{
    Index left = free_blocks;
    unsigned int broken = small_check(heap, top, &left);

    if (broken == 0U) {
        broken = bin_check(heap, 0U, ROOT, top, &left);
    }
    return ((broken == 0U) && (left != 0U)) ? 5U : broken;
}
