{% include "index/small_check.c" %}

/* Verifies a node that was reached from `parent`, and what hangs at it. */
static unsigned int node_check(const Heap *heap, Index bin, Index node, Index parent, Index top, Index *left)
{
    Index up;

    if (!is_counted(heap, node, top, left) || !bin_holds(bin, words_of(load(heap, node - 1U)))) {
        return 5U;
    }
    up = load(heap, node + BACK);
    if ((link_of(up) != parent) || ((up & LISTED) != 0U)) {
        return 8U;
    }
    if (is_red(heap, node) && ((parent == 0U) || is_red(heap, parent))) {
        return 7U;
    }
    return equals_check(heap, node, top, left);
}

/* Verifies a tree, from left to right without a stack: links to the parent lead back. */
/* NOLINTNEXTLINE(readability-function-cognitive-complexity): a walk in one piece is read more easily */
static unsigned int bin_check(const Heap *heap, Index bin, Index root, Index top, Index *left)
{
    Index parent = 0U;
    Index node = load(heap, root);
    Index before = 0U; /* words of the node to the left */
    Index blacks = 0U; /* black nodes from the root to here */
    Index expected = 0U;
    bool down = true;

    while (node != 0U) {
        Index from;

        if (down) {
            const unsigned int broken = node_check(heap, bin, node, parent, top, left);

            if (broken != 0U) {
                return broken;
            }
            blacks += is_red(heap, node) ? 0U : 1U;
            if (load(heap, node + LEFT) != 0U) {
                parent = node;
                node = load(heap, node + LEFT);
                continue;
            }
        }
        /* All to the left is done. */
        if (words_of(load(heap, node - 1U)) <= before) {
            return 6U;
        }
        before = words_of(load(heap, node - 1U));
        if ((load(heap, node + LEFT) == 0U) || (load(heap, node + RIGHT) == 0U)) {
            /* A path ends here: all have as many black nodes. */
            expected = (expected == 0U) ? blacks : expected;
            if (blacks != expected) {
                return 7U;
            }
        }
        if (load(heap, node + RIGHT) != 0U) {
            parent = node;
            node = load(heap, node + RIGHT);
            down = true;
            continue;
        }
        /* Up to the first node that was left to its left. */
        do {
            from = node;
            blacks -= is_red(heap, node) ? 0U : 1U;
            node = link_of(load(heap, node + BACK));
        } while ((node != 0U) && (load(heap, node + LEFT) != from));
        down = false;
    }
    return 0U;
}
