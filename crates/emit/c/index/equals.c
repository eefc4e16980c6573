
/* ---- Free blocks of one size: a list that hangs at the one of them that is a node ---------------
 *
 *   node at    | SAME: first of the list |       | SAME: next            |
 *   node at+1  | BACK: the node's own    |  <--  | BACK: previous | 10   |
 *
 * BACK holds a link and two status bits; LISTED among them distinguishes such a block from a node.
 */

#define SAME 0U
#define BACK 1U{%- if index.each == "skiplist" %}
#define OWN 2U
{%- endif %}
#define LISTED 2U

static inline Index back(Index link, Index status)
{
    return (link << 2U) | status;
}

static inline Index link_of(Index word)
{
    return word >> 2U;
}

/* Hangs `block` at `node`, in front of the others. */
static void chain(Heap *heap, Index node, Index block)
{
    const Index next = load(heap, node + SAME);

    store(heap, block + SAME, next);
    store(heap, block + BACK, back(node, LISTED));
    store(heap, node + SAME, block);
    if (next != 0U) {
        store(heap, next + BACK, back(block, LISTED));
    }
}

/* Takes `block`, whose word BACK was read, off the list that it hangs on. */
static void unchain(Heap *heap, Index block, Index its_back)
{
    const Index next = load(heap, block + SAME);

    store(heap, link_of(its_back) + SAME, next);
    if (next != 0U) {
        store(heap, next + BACK, its_back);
    }
}

/* The block of `node`'s size that is the easiest to take: the first that hangs at it, else the node
{%- if checked %}; the node as well
 * if that link leads out of the region{% endif %}. */
static Index easiest(const Heap *heap, Index node)
{
    const Index first = (node == 0U) ? 0U : load(heap, node + SAME);

    return ({% if checked %}(first == 0U) || (first >= heap->length){% else %}first == 0U{% endif %}) ? node : first;
}
