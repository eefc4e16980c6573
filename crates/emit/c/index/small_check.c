
/* Verifies the lists of small blocks; takes their blocks off `left`. */
static unsigned int small_check(const Heap *heap, Index top, Index *left)
{
    for (Index words = MIN_LISTED; words < NODE; words++) {
        const unsigned int broken = chain_check(heap, small_head(words), top, left);

        if (broken != 0U) {
            return broken;
        }
        for (Index block = load(heap, small_head(words)); block != 0U; block = load(heap, block + NEXT)) {
            if (words_of(load(heap, block - 1U)) != words) {
                return 5U;
            }
        }
    }
    return 0U;
}

/* Whether `node` is a free block below `top` that may be one more; takes it off `left`. */
static bool is_counted(const Heap *heap, Index node, Index top, Index *left)
{
    if ((*left == 0U) || (node < {{ first }}) || (node >= top) || is_used(load(heap, node - 1U))) {
        return false;
    }
    *left -= 1U;
    return true;
}

/* Verifies what hangs at `node`; takes it off `left`. */
static unsigned int equals_check(const Heap *heap, Index node, Index top, Index *left)
{
    Index previous = node;

    for (Index block = load(heap, node + SAME); block != 0U; block = load(heap, block + SAME)) {
        if (!is_counted(heap, block, top, left)) {
            return 5U;
        }
        if ((load(heap, block + BACK) != back(previous, LISTED)) ||
            (words_of(load(heap, block - 1U)) != words_of(load(heap, node - 1U)))) {
            return 8U;
        }
        previous = block;
    }
    return 0U;
}
