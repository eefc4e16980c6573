
/* ---- Visiting every block ---------------------------------------------------------------------- */

{%- if "walk" not in extras %}

/* Status of a block that is visited. */
#define {{ N }}_IS_USED 0U
#define {{ N }}_IS_FREE 1U
#define {{ N }}_IS_CACHED 2U
{%- endif %}

/* What a visit calls. */
typedef struct walk {
    void (*visit)(void *context, const void *block, size_t bytes, unsigned int status);
    void *context;
} Walk;

static void visit_block(const Heap *heap, const Walk *walk, Index block, size_t bytes, unsigned int status)
{
    walk->visit(walk->context, &heap->words[block], bytes, status);
}
{% if pool.family == "fixed" %}
/* Blocks that are looked up at once on the list of free ones. */
#define WINDOW 32U

/* A bit for each of the WINDOW blocks from `from` on that is free. */
static uint32_t free_in(const Heap *heap, Index from)
{
    uint32_t window = 0U;

    for (Index block = load(heap, HEAD); block != 0U; block = load(heap, block)) {
        if ((block >= from) && (((block - from) / BLOCK) < WINDOW)) {
            window |= (uint32_t)1U << ((block - from) / BLOCK);
        }
    }
    return window;
}

static void pool_walk(const Heap *heap, const Walk *walk)
{
    const Index top = load(heap, TOP);
    uint32_t window = 0U;
    Index number = 0U;

    for (Index block = {{ first }}; block < top; block += BLOCK) {
        if ((number % WINDOW) == 0U) {
            window = free_in(heap, block);
        }
        visit_block(heap, walk, block, (size_t)BLOCK * WORD, ((window & 1U) != 0U) ? {{ N }}_IS_FREE : {{ N }}_IS_USED);
        window >>= 1U;
        number++;
    }
}
{%- elif pool.family == "bitmap" %}
static void pool_walk(const Heap *heap, const Walk *walk)
{
    const Index top = units_of(heap);
    Index free_block = load(heap, LIST);
    Index end;

    for (Index unit = 0U; unit < top; unit = end) {
        const Index block = {{ first }} + (unit * UNIT);
        const bool is_free = (block == free_block);

        end = end_of(heap, unit);
        free_block = is_free ? load(heap, block + NEXT) : free_block;
        visit_block(heap, walk, block, ((size_t)end - unit) * UNIT * WORD, is_free ? {{ N }}_IS_FREE : {{ N }}_IS_USED);
    }
}
{%- elif pool.family == "pages" %}
/* Visits the objects of a page. */
static void page_walk(const Heap *heap, const Walk *walk, Index page, Index size_class)
{
    for (Index object = 0U; object < objects_of(size_class); object++) {
        const bool is_free = {{ "object_is_free(heap, page, size_class, object)" if pool.search == "hardware" else "bit_is_set(heap, entry_of(heap, page) + BITMAP, object)" }};

        visit_block(heap, walk, start_of(heap, page) + (object * object_words(size_class)),
                    (size_t)object_words(size_class) * WORD, is_free ? {{ N }}_IS_FREE : {{ N }}_IS_USED);
    }
}

static void pool_walk(const Heap *heap, const Walk *walk)
{
    const Index top = load(heap, TOP);
    Index directory = 0U;
    Index length;

    for (Index page = 1U; page < top; page += length) {
        const Index kind = get(heap, page, KIND);

        length = (kind >= OBJECTS) ? 1U : get(heap, page, COUNT);
{%- if guards %}
        if (length == 0U) {
            return; /* a damaged entry leads no further */
        }
{%- endif %}
        if (kind >= OBJECTS) {
            page_walk(heap, walk, page, kind - OBJECTS);
        } else {
            visit_block(heap, walk, start_of(heap, page), (size_t)length * PAGE,
                        (kind == FREE_RUN) ? {{ N }}_IS_FREE : {{ N }}_IS_USED);
        }
        directory = (kind == DIRECTORY) ? page : directory;
    }
    if (directory != 0U) {
        visit_block(heap, walk, start_of(heap, directory), (size_t)get(heap, directory, COUNT) * PAGE, {{ N }}_IS_CACHED);
    }
}
{%- elif pool.family == "buddy" %}
static void pool_walk(const Heap *heap, const Walk *walk)
{
    const Index top = load(heap, TOP);

    for (Index block = heap->first; block < top; block += words_of(head_of(heap, block))) {
{%- if guards %}
        if (words_of(head_of(heap, block)) == 0U) {
            return; /* a damaged header leads no further */
        }
{%- endif %}
        visit_block(heap, walk, block, pool_usable(heap, block),
                    is_used(head_of(heap, block)) ? {{ N }}_IS_USED : {{ N }}_IS_FREE);
    }
{%- if pool.handles %}
    for (Index block = load(heap, MASTER_BLOCKS); block != 0U; block = load(heap, block)) {
        visit_block(heap, walk, block, pool_usable(heap, block), {{ N }}_IS_CACHED);
    }
{%- endif %}
}
{%- elif pool.family == "chunks" %}
static void pool_walk(const Heap *heap, const Walk *walk)
{
    const Index top = {% if pool.ends %}heap->end{% else %}top_of(heap){% endif %};

    for (Index block = {{ first }}; block < top; block += words_of(load(heap, block - 1U))) {
{%- if pool.ends %}
        if (block == load(heap, MIDDLE)) {
            continue; /* the wilderness */
        }
{%- endif %}
{%- if guards %}
        if (words_of(load(heap, block - 1U)) == 0U) {
            return; /* a damaged header leads no further */
        }
{%- endif %}
        visit_block(heap, walk, block, ((size_t)words_of(load(heap, block - 1U)) - HEAD) * WORD,
                    is_used(load(heap, block - 1U)) ? {{ N }}_IS_USED : {{ N }}_IS_FREE);
    }
}
{%- else %}
static void pool_walk(const Heap *heap, const Walk *walk)
{
    const Index top = load(heap, TOP);
    Index words;

    for (Index block = {{ first }}; block < top; block += words) {
        const Index head = load(heap, block - 1U);

        words = {{ size_of }}(head);
{%- if guards %}
        if (words == 0U) {
            return; /* a damaged header leads no further */
        }
{%- endif %}
        visit_block(heap, walk, block, ((size_t)words - 1U) * WORD, is_used(head) ? {{ N }}_IS_USED : {{ N }}_IS_FREE);
    }
}
{%- endif %}
{%- if free_lists %}

/* Visits the blocks of the pool, then those that are cached once more. */
static void freelists_walk(const Heap *heap, const Walk *walk)
{
    pool_walk(heap, walk);
    for (Place list = 0U; list < FREELISTS; list++) {
{%- if free_lists.magazine %}
        for (Index left = load(heap, FREELIST_HEADS + list); left != 0U; left--) {
            const Index block = load(heap, freelist_place(heap, list, left - 1U));

{%- else %}
        for (Index block = load(heap, FREELIST_HEADS + list); block != 0U; block = load(heap, block)) {
{%- endif %}
            visit_block(heap, walk, block, {% if marks %}((size_t)size_of(load(heap, block - 1U)) - 1U) * WORD{% else %}pool_usable(heap, block){% endif %}, {{ N }}_IS_CACHED);
        }
    }
}
{%- endif %}
