
/* ---- A red-black tree by size -----------------------------------------------------------------
 *
 *   node at    | SAME: first of equal size |           root
 *   node at+1  | BACK: parent | 0 | red    |             |
 *   node at+2  | LEFT: smaller             |            40 --> 40 --> 40
 *   node at+3  | RIGHT: larger             |          24  96
 *
 * Guibas and Sedgewick 1978; Cormen, Leiserson, Rivest and Stein, chapter 13.
 */

#define LEFT 2U
#define RIGHT 3U
/* BOTH - side is the other side. */
#define BOTH (LEFT + RIGHT)
#define RED 1U

static inline bool is_red(const Heap *heap, Index node)
{
    return (node != 0U) && ((load(heap, node + BACK) & RED) != 0U);
}

static void set_black(Heap *heap, Index node)
{
    store(heap, node + BACK, load(heap, node + BACK) & ~(Index)RED);
}

static void set_red(Heap *heap, Index node)
{
    store(heap, node + BACK, load(heap, node + BACK) | RED);
}

/* Gives a node, or none, another parent; it keeps its colour. */
static void set_parent(Heap *heap, Index node, Index parent)
{
    if (node != 0U) {
        store(heap, node + BACK, back(parent, load(heap, node + BACK) & RED));
    }
}

/* On which side of `parent` its child `node` is. */
static Index side_of(const Heap *heap, Index parent, Index node)
{
    return (load(heap, parent + LEFT) == node) ? LEFT : RIGHT;
}

/* Where `parent` named `old`, it names `node`. */
static void point_down(Heap *heap, Index root, Index parent, Index old, Index node)
{
    store(heap, (parent == 0U) ? root : (parent + side_of(heap, parent, old)), node);
}

/* Moves `node` down to `side`; its child of the other side takes its place. */
static void rotate(Heap *heap, Index root, Index node, Index side)
{
    const Index pivot = load(heap, node + (BOTH - side));
    const Index inner = load(heap, pivot + side);
    const Index up = load(heap, node + BACK);

    store(heap, node + (BOTH - side), inner);
    set_parent(heap, inner, node);
    point_down(heap, root, link_of(up), node, pivot);
    set_parent(heap, pivot, link_of(up));
    store(heap, pivot + side, node);
    store(heap, node + BACK, back(pivot, up & RED));
}

/* Restores the colours above `added`, which is red and may have a red parent. */
static void fix_up_red(Heap *heap, Index root, Index added)
{
    Index node = added;
    Index parent = link_of(load(heap, node + BACK));

    while ((parent != 0U) && is_red(heap, parent)) {
        /* A red node is not the root, so it has a parent. */
        const Index grand = link_of(load(heap, parent + BACK));
        const Index side = side_of(heap, grand, parent);
        const Index uncle = load(heap, grand + (BOTH - side));

        if (!is_red(heap, uncle)) {
            if (load(heap, parent + (BOTH - side)) == node) {
                rotate(heap, root, parent, side);
                parent = node;
            }
            set_black(heap, parent);
            set_red(heap, grand);
            rotate(heap, root, grand, BOTH - side);
            return;
        }
        set_black(heap, parent);
        set_black(heap, uncle);
        set_red(heap, grand);
        node = grand;
        parent = link_of(load(heap, node + BACK));
    }
    if (parent == 0U) {
        set_black(heap, node);
    }
}

/* Ends `fix_up_black`: a red child of the sibling gives its side's surplus. */
static void borrow(Heap *heap, Index root, Index parent, Index side, Index sibling)
{
    const Index far = load(heap, sibling + (BOTH - side));
    Index upper = sibling;
    Index outer = far;

    if (!is_red(heap, far)) {
        upper = load(heap, sibling + side);
        outer = sibling;
        set_red(heap, sibling);
        rotate(heap, root, sibling, BOTH - side);
    }
    store(heap, upper + BACK, (load(heap, upper + BACK) & ~(Index)RED) | (load(heap, parent + BACK) & RED));
    set_black(heap, parent);
    set_black(heap, outer);
    rotate(heap, root, parent, side);
}

/* Restores the colours where the paths through `child`, on `its_side` of `above`, lack a black node. */
static void fix_up_black(Heap *heap, Index root, Index child, Index above, Index its_side)
{
    Index node = child;
    Index parent = above;
    Index side = its_side;

    while ((parent != 0U) && !is_red(heap, node)) {
        Index sibling = load(heap, parent + (BOTH - side));

        if (is_red(heap, sibling)) {
            set_black(heap, sibling);
            set_red(heap, parent);
            rotate(heap, root, parent, side);
            sibling = load(heap, parent + (BOTH - side));
        }
        if (is_red(heap, load(heap, sibling + LEFT)) || is_red(heap, load(heap, sibling + RIGHT))) {
            borrow(heap, root, parent, side, sibling);
            return;
        }
        set_red(heap, sibling);
        node = parent;
        parent = link_of(load(heap, node + BACK));
        if (parent != 0U) {
            side = side_of(heap, parent, node);
        }
    }
    if (node != 0U) {
        set_black(heap, node);
    }
}

/* Puts `successor`, which hangs first at `node`, in its place. */
static void hand_over(Heap *heap, Index root, Index node, Index up, Index successor)
{
    store(heap, successor + BACK, up);
    for (Index side = LEFT; side <= RIGHT; side++) {
        const Index child = load(heap, node + side);

        store(heap, successor + side, child);
        set_parent(heap, child, successor);
    }
    point_down(heap, root, link_of(up), node, successor);
}

/* Takes `node` out, which has two children: the next larger node comes into its place. */
static void remove_inner(Heap *heap, Index root, Index node, Index up)
{
    const Index left = load(heap, node + LEFT);
    const Index right = load(heap, node + RIGHT);
    Index next = right;
    Index parent;
    Index next_up;
    Index orphan;
    Index side = RIGHT;

    while (load(heap, next + LEFT) != 0U) {
        next = load(heap, next + LEFT);
    }
    next_up = load(heap, next + BACK);
    orphan = load(heap, next + RIGHT);
    parent = next;
    if (next != right) {
        parent = link_of(next_up);
        side = LEFT;
        store(heap, parent + LEFT, orphan);
        set_parent(heap, orphan, parent);
        store(heap, next + RIGHT, right);
        set_parent(heap, right, next);
    }
    store(heap, next + LEFT, left);
    set_parent(heap, left, next);
    point_down(heap, root, link_of(up), node, next);
    store(heap, next + BACK, up);
    if ((next_up & RED) == 0U) {
        fix_up_black(heap, root, orphan, parent, side);
    }
}

/* Takes `node` out, at which nothing hangs; `up` is its word BACK. */
static void remove_node(Heap *heap, Index root, Index node, Index up)
{
    const Index left = load(heap, node + LEFT);
    const Index right = load(heap, node + RIGHT);
    const Index child = (left == 0U) ? right : left;
    const Index parent = link_of(up);

    if ((left != 0U) && (right != 0U)) {
        remove_inner(heap, root, node, up);
    } else {
        const Index side = (parent == 0U) ? LEFT : side_of(heap, parent, node);

        store(heap, (parent == 0U) ? root : (parent + side), child);
        set_parent(heap, child, parent);
        if ((up & RED) == 0U) {
            fix_up_black(heap, root, child, parent, side);
        }
    }
}

/* The smallest block of at least `need` words, or 0. */
static Index bin_find(const Heap *heap, Index root, Index need)
{
    Index best = 0U;
    Index node = load(heap, root);

    while (node != 0U) {
        const Index words = words_of(load(heap, node - 1U));

        if (words >= need) {
            best = node;
        }
        if (words == need) {
            break;
        }
        node = load(heap, node + ((words > need) ? LEFT : RIGHT));
    }
    return easiest(heap, best);
}

static void bin_insert(Heap *heap, Index root, Index block, Index words)
{
    Index parent = 0U;
    Index link = root;
    Index node = load(heap, link);

    while (node != 0U) {
        const Index its_words = words_of(load(heap, node - 1U));

        if (its_words == words) {
            chain(heap, node, block);
            return;
        }
        link = node + ((its_words > words) ? LEFT : RIGHT);
        parent = node;
        node = load(heap, link);
    }
    store(heap, block + SAME, 0U);
    store(heap, block + BACK, back(parent, RED));
    store(heap, block + LEFT, 0U);
    store(heap, block + RIGHT, 0U);
    store(heap, link, block);
    fix_up_red(heap, root, block);
}

static void bin_remove(Heap *heap, Index root, Index block)
{
    const Index up = load(heap, block + BACK);
    const Index successor = load(heap, block + SAME);

    if ((up & LISTED) != 0U) {
        unchain(heap, block, up);
    } else if (successor != 0U) {
        hand_over(heap, root, block, up, successor);
    } else {
        remove_node(heap, root, block, up);
    }
}
{%- if index.kind == "bins" %}

static inline bool bin_is_empty(const Heap *heap, Index root)
{
    return load(heap, root) == 0U;
}
{%- endif %}
