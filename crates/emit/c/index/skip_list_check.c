{% include "index/small_check.c" %}

/* Verifies that each level above the lowest holds the nodes of the level below that are high enough. */
static unsigned int levels_check(const Heap *heap, Index root)
{
    for (Index level = 1U; level < LEVELS; level++) {
        Index upper = load(heap, root + level);

        for (Index lower = load(heap, root + (level - 1U)); lower != 0U; lower = load(heap, lower + OWN + (level - 1U))) {
            if (height(words_of(load(heap, lower - 1U))) > level) {
                if (upper != lower) {
                    return 7U;
                }
                upper = load(heap, upper + OWN + level);
            }
        }
        if (upper != 0U) {
            return 7U;
        }
    }
    return 0U;
}

/* Verifies a skip list; takes its blocks off `left`. */
static unsigned int bin_check(const Heap *heap, Index bin, Index root, Index top, Index *left)
{
    Index before = 0U;

    for (Index node = load(heap, root); node != 0U; node = load(heap, node + OWN)) {
        unsigned int broken;

        if (!is_counted(heap, node, top, left) || !bin_holds(bin, words_of(load(heap, node - 1U)))) {
            return 5U;
        }
        if (words_of(load(heap, node - 1U)) <= before) {
            return 6U;
        }
        if (load(heap, node + BACK) != 0U) {
            return 8U;
        }
        broken = equals_check(heap, node, top, left);
        if (broken != 0U) {
            return broken;
        }
        before = words_of(load(heap, node - 1U));
    }
    return levels_check(heap, root);
}
