
/* ---- Blocks too small to be nodes: a list for each of their sizes ----------------------------- */

/* Words from which on a block can be a node, and words of the smallest block that has the links of a list. */
#define NODE 6U
#define MIN_LISTED 3U
#define SMALL_HEADS {{ index.small_heads }}U

static inline Index small_head(Index words)
{
    return SMALL_HEADS + (words - MIN_LISTED);
}

/* The smallest of these blocks that has `need` words, or 0. */
static Index small_find(const Heap *heap, Index need)
{
    for (Index words = need; words < NODE; words++) {
        const Index block = load(heap, small_head(words));

        if (block != 0U) {
            return block;
        }
    }
    return 0U;
}
