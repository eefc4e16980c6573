
/* ---- Handles: master words ---------------------------------------------------------------------
 *
 *   handle --> master word --> payload        the master word stays where it is,
 *                  ^              |           the block names it in its owner word
 *                  +- owner word -+
 *
 * Master words lie in used blocks of the heap, which never move and are kept. An unused one links to the next
 * unused one; a used one holds the payload of its block. The first word of a block of them links to the next
 * such block. Each block is twice as large as the one before, if that can be had without moving.
 */

/* The list of unused master words; behind it, that of their blocks. */
#define MASTERS (LAYERS - 2U)
#define MASTER_BLOCKS (LAYERS - 1U)
/* The order of the first block of them. */
#define FIRST_MASTERS ((MIN_ORDER > 5U) ? MIN_ORDER : 5U)

/* A used block for more master words, or 0. */
static Index block_for_masters(Heap *heap)
{
    const Index last = load(heap, MASTER_BLOCKS);
    Index order = (last == 0U) ? FIRST_MASTERS : (order_of(words_of(head_of(heap, last))) + 1U);
    Index block = 0U;

    while ((block == 0U) && (order >= FIRST_MASTERS)) {
        block = find(heap, order);
        if (block == 0U) {
            block = grow(heap, order);
        }
        if ((block == 0U) && (order == FIRST_MASTERS)) {
            block = defragment(heap, order);
        }
        if (block != 0U) {
            use(heap, block, order);
        }
        order--;
    }
    return block;
}

static void push_master(Heap *heap, Index master)
{
    store(heap, master, load(heap, MASTERS));
    store(heap, MASTERS, master);
}

/* Makes a block of unused master words; returns how many. */
static Index make_masters(Heap *heap)
{
    const Index block = block_for_masters(heap);

    if (block == 0U) {
        return 0U;
    }
    store(heap, block, load(heap, MASTER_BLOCKS));
    store(heap, MASTER_BLOCKS, block);
    for (Index word = words_of(head_of(heap, block)) - HEAD; word > 1U; word--) {
        push_master(heap, block + (word - 1U));
    }
    return words_of(head_of(heap, block)) - HEAD - 1U;
}

/* Makes room for `handles` more handles, if there is. */
static bool masters_reserve(Heap *heap, size_t handles)
{
    size_t unused = 0U;

    for (Index master = load(heap, MASTERS); (master != 0U) && (unused < handles); master = load(heap, master)) {
        unused++;
    }
    while (unused < handles) {
        const Index made = make_masters(heap);

        if (made == 0U) {
            return false;
        }
        unused += (size_t)made;
    }
    return true;
}

/* An unused master word, from a new block of them if need be; 0 if there is none. */
static Index take_master(Heap *heap)
{
    Index master;

    if ((load(heap, MASTERS) == 0U) && (make_masters(heap) == 0U)) {
        return 0U;
    }
    master = load(heap, MASTERS);
    store(heap, MASTERS, load(heap, master));
    return master;
}

/* The master word of a new movable block, or 0. */
static Index movable_allocate(Heap *heap, size_t size)
{
    const Index order = order_for(size, 1U);
    Index master;
    Index block;

    if (order == NO_ORDER) {
        return 0U;
    }
    master = take_master(heap);
    if (master == 0U) {
        return 0U;
    }
    block = allocate_order(heap, order);
    if (block == 0U) {
        push_master(heap, master);
        return 0U;
    }
    store(heap, block - OWNER, master);
    store(heap, master, block);
    return master;
}

static void movable_free(Heap *heap, Index master)
{
    const Index block = load(heap, master);

    push_master(heap, master);
    pool_free(heap, block);
}

/* Whether the owner of a used block is 0, or names the block. */
static bool owner_names(const Heap *heap, Index block, Index top)
{
    const Index owner = load(heap, block - OWNER);

    return (owner == 0U) || ((owner < top) && (load(heap, owner) == block));
}
