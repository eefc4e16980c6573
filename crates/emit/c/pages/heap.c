
/* ---- Runs of pages ---- */

/* The first page from `page` on whose address is a multiple of `step` pages. */
static Index next_place(const Heap *heap, Index page, Index step)
{
    const Index base = (Index)(address_of(&heap->words[heap->first]) / PAGE) - 1U;

    return ((base + page + (step - 1U)) & ~(step - 1U)) - base;
}

/* Takes pages off the wilderness, or returns 0; what is skipped before them becomes a free run. */
static Index grow(Heap *heap, Index length, Index step)
{
    Index top = load(heap, TOP);
    Index page = next_place(heap, top, step);

    if (((page + length) - 1U) > load(heap, CAPACITY)) {
        if (!enlarge(heap, length, step - 1U)) {
            return 0U;
        }
        top = load(heap, TOP);
        page = next_place(heap, top, step);
    }
    if (start_of(heap, page + length) > heap->length) {
        return 0U;
    }
    set_top(heap, page + length);
    if (page > top) {
{%- if pool.retain %}
        write_used(heap, page, length, USED_RUN);
        free_run(heap, top, page - top);
{%- else %}
        const Index previous = run_before(heap, top);

        write_free(heap, top, page - top);
        link_page(heap, RUNS, previous, top);
{%- endif %}
    }
    return page;
}

/* Takes pages off the first free run that holds them, or returns 0. */
static Index take_free(Heap *heap, Index length, Index step)
{
    Index page;

    for (page = load(heap, RUNS); page != 0U; page = get(heap, page, NEXT)) {
        const Index free_pages = get(heap, page, COUNT);
        const Index from = next_place(heap, page, step);

        if ((from + length) <= (page + free_pages)) {
            carve(heap, page, free_pages, from, length);
            return from;
        }
    }
    return 0U;
}

/* Takes pages off the first free run that holds them, else off the wilderness, or returns 0. */
static Index take_or_grow(Heap *heap, Index length, Index step)
{
    const Index page = take_free(heap, length, step);

    return (page == 0U) ? grow(heap, length, step) : page;
}

/* The same. Before it refuses, what the heap keeps for itself goes back as far as it can. */
static Index take_run(Heap *heap, Index length, Index step)
{
    Index page = take_or_grow(heap, length, step);

{%- if pool.retain %}
    if ((page == 0U) && release_last(heap)) {
        page = take_or_grow(heap, length, step);
    }
    if ((page == 0U) && move_back(heap)) {
        (void)release_last(heap);
        page = take_or_grow(heap, length, step);
    }
{%- else %}
    if ((page == 0U) && move_back(heap)) {
        page = take_or_grow(heap, length, step);
    }
{%- endif %}
    return page;
}

/* ---- Objects in pages ---- */

static inline Index object_words(Index size_class)
{
    return ((Index)MIN_OBJECT / WORD) << size_class;
}

/* Objects in a page of a class. */
static inline Index objects_of(Index size_class)
{
    return ((Index)PAGE / MIN_OBJECT) >> size_class;
}

/* A page of free objects of a class, on its list; or 0. */
static Index new_page(Heap *heap, Index size_class)
{
    const Index page = take_run(heap, 1U, 1U);

    if (page != 0U) {
        set(heap, page, KIND, OBJECTS + size_class);
        set(heap, page, COUNT, objects_of(size_class));
        {{ "fill_map" if pool.search == "tree" else "fill_bits" }}(heap, entry_of(heap, page) + BITMAP, objects_of(size_class));
        link_page(heap, CLASS_LISTS + size_class, {{ "place_of(heap, CLASS_LISTS + size_class, page)" if pool.order == "address" else "0U" }}, page);
    }
    return page;
}

static Index allocate_object(Heap *heap, Index size_class)
{
    Index page = load(heap, CLASS_LISTS + size_class);
    Index object;
    Index left;

    if (page == 0U) {
        page = new_page(heap, size_class);
    }
    if (page == 0U) {
        return 0U;
    }
{%- if pool.search == "hardware" %}
    object = take_object(heap, page, size_class);
{%- else %}
    object = take_object(heap, entry_of(heap, page) + BITMAP{% if pool.search == "tree" %}, objects_of(size_class){% endif %});
{%- endif %}
    left = get(heap, page, COUNT) - 1U;
    set(heap, page, COUNT, left);
    if (left == 0U) {
        (void)unlink_page(heap, CLASS_LISTS + size_class, page);
    }
    return start_of(heap, page) + (object * object_words(size_class));
}

static void free_object(Heap *heap, Index page, Index size_class, Index at)
{
    const Index count = get(heap, page, COUNT) + 1U;

    if (count == objects_of(size_class)) {
        (void)unlink_page(heap, CLASS_LISTS + size_class, page);
{%- if checked %}
        set(heap, page, KIND, FREE_RUN);
{%- endif %}
{%- if pool.search == "hardware" %}
        forget_map(heap, page, size_class);
{%- endif %}
        free_run(heap, page, 1U);
    } else {
        const Index object = (at - start_of(heap, page)) / object_words(size_class);

{% if pool.search == "hardware" %}        put_object(heap, page, size_class, object);
{%- else %}        put_object(heap, entry_of(heap, page) + BITMAP, {% if pool.search == "tree" %}objects_of(size_class), {% endif %}object);
{%- endif %}
        set(heap, page, COUNT, count);
        if (count == 1U) {
            link_page(heap, CLASS_LISTS + size_class, {{ "0U" if pool.order == "lifo" else "place_of(heap, CLASS_LISTS + size_class, page)" }}, page);
        }
    }
}

{%- if checked %}

/* ---- Checks: check=header ----
 *
 * A used block begins where the entry of its page says a used run, or objects of a class of which one begins there
 * and is not free. The directory lies apart from the blocks: what is written over the end of one is not seen. */

/* The used block at `pointer`. If there is none, what is wrong, less 1: no block begins at such an index, control words do. */
static Index used_block(const Heap *heap, const void *pointer)
{
    const uintptr_t steps = steps_to(heap, pointer);
    Index at;
    Index page;
    Index kind;

    if (steps >= ((uintptr_t)(load(heap, TOP) - 1U) * (PAGE / MIN_OBJECT))) {
        return {{ N }}_FOREIGN - 1U;
    }
    at = (Index)steps * (MIN_OBJECT / WORD);
    page = (at / PAGE_WORDS) + 1U;
    at %= PAGE_WORDS;
    kind = get(heap, page, KIND);
    if (kind >= OBJECTS) {
        const Index words = object_words(kind - OBJECTS);

        if ((at & (words - 1U)) != 0U) {
            return {{ N }}_FOREIGN - 1U;
        }
        return bit_is_set(heap, entry_of(heap, page) + BITMAP, at / words) ? ({{ N }}_DOUBLE_FREE - 1U) : (start_of(heap, page) + at);
    }
    if ((at != 0U) || ((kind != USED_RUN) && (kind != FREE_RUN))) {
        return {{ N }}_FOREIGN - 1U;
    }
    return (kind == USED_RUN) ? start_of(heap, page) : ({{ N }}_DOUBLE_FREE - 1U);
}
{%- endif %}

/* ---- The pool as a heap ---- */

/* Whether a request of this many bytes gets an object, and of which class. */
static bool is_object(size_t size, Index *size_class)
{
    Index object = MIN_OBJECT;

    *size_class = 0U;
    if (size > (PAGE / 2U)) {
        return false;
    }
    while (object < size) {
        object *= 2U;
        *size_class += 1U;
    }
    return true;
}

/* Pages that hold this many bytes. */
static inline Index pages_for(size_t size)
{
    return (Index)(size / PAGE) + (((size % PAGE) != 0U) ? 1U : 0U);
}

static Index pool_allocate(Heap *heap, size_t asked, size_t wanted_alignment)
{
    const size_t alignment = (wanted_alignment < ALIGNMENT) ? ALIGNMENT : wanted_alignment;
    const size_t size = (asked < alignment) ? alignment : asked;
    Index size_class;
    Index step;
    Index page;
    Index length;

    if ((asked == 0U) || is_too_large(asked) || (alignment > GRID) ||
        ((wanted_alignment & (wanted_alignment - 1U)) != 0U)) {
        return 0U;
    }
    if (is_object(size, &size_class)) {
        return allocate_object(heap, size_class);
    }
    length = pages_for(size);
    step = (alignment > PAGE) ? (Index)(alignment / PAGE) : 1U;
    page = take_run(heap, length, step);
    if (page == 0U) {
        return 0U;
    }
    write_used(heap, page, length, USED_RUN);
    return start_of(heap, page);
}

static void pool_free(Heap *heap, Index block)
{
    const Index page = page_of(heap, block);
    const Index kind = get(heap, page, KIND);

    if (kind >= OBJECTS) {
        free_object(heap, page, kind - OBJECTS, block);
    } else {
{%- if checked %}
        /* Whatever run it becomes a part of: no used block begins here any more. */
        set(heap, page, KIND, FREE_RUN);
{%- endif %}
        free_run(heap, page, get(heap, page, COUNT));
    }
}

{%- if pool.resize %}
/* Resizes a used run to `length` pages in place, if it can. */
static bool resize_run(Heap *heap, Index page, Index length)
{
    const Index old = get(heap, page, COUNT);
    const Index next = page + old;
    const Index end = page + length;

    if (length <= old) {
        write_used(heap, page, length, USED_RUN);
        if (length < old) {
            free_run(heap, end, old - length);
        }
        return true;
    }
    if (next == load(heap, TOP)) {
        if (((end - 1U) > load(heap, CAPACITY)) || (start_of(heap, end) > heap->length)) {
            return false;
        }
        set_top(heap, end);
    } else {
        Index free_pages;

        if (get(heap, next, KIND) != FREE_RUN) {
            return false;
        }
        free_pages = get(heap, next, COUNT);
        if ((next + free_pages) < end) {
            return false;
        }
        carve(heap, next, free_pages, next, end - next);
    }
    write_used(heap, page, length, USED_RUN);
    return true;
}
{%- endif %}

/* Resizes a block to `size` bytes in place, if it can and the block would not be larger than needed. */
static bool pool_resize(Heap *heap, Index block, size_t asked)
{
    const size_t size = (asked < ALIGNMENT) ? ALIGNMENT : asked;
    const Index page = page_of(heap, block);
    const Index kind = get(heap, page, KIND);
    Index size_class;

    if ((asked == 0U) || is_too_large(asked)) {
        return false;
    }
    if (is_object(size, &size_class)) {
        return kind == (OBJECTS + size_class);
    }
{%- if pool.resize %}
    return (kind == USED_RUN) && resize_run(heap, page, pages_for(size));
{%- else %}
    return (kind == USED_RUN) && (get(heap, page, COUNT) == pages_for(size));
{%- endif %}
}

/* Bytes that the owner of the block may use. */
static size_t pool_usable(const Heap *heap, Index block)
{
    const Index page = page_of(heap, block);
    const Index kind = get(heap, page, KIND);

    return (kind >= OBJECTS) ? ((size_t)object_words(kind - OBJECTS) * WORD) : ((size_t)get(heap, page, COUNT) * PAGE);
}

static bool pool_init(Heap *heap)
{
    const Index grain = (PAGE < GRID) ? PAGE_WORDS : (GRID / WORD);
    const Index base = (Index)((address_of(heap->words) / WORD) & (grain - 1U));

    heap->first = ((base + CONTROL + ENTRY + (grain - 1U)) & ~(grain - 1U)) - base;
    if ((heap->first + PAGE_WORDS) > heap->length) {
        return false;
    }
    for (Index at = INDEX; at < CONTROL; at++) {
        fill(heap, at, 0U);
    }
    store(heap, PLACE, CONTROL);
    store(heap, CAPACITY, (heap->first - CONTROL) / ENTRY);
    store(heap, HIGH, 0U);
    set_top(heap, 1U);
{%- if checked %}
    clear_from(heap, 1U);
{%- endif %}
    return true;
}

/* ---- Looking at every page ---- */

/* P2 for the free run `page`, which the list names as `run`. */
static bool run_is_sound(const Heap *heap, Index page, Index length, Index run)
{
    const Index top = load(heap, TOP);
    const Index last = (page + length) - 1U;
    const Index next = get(heap, page, NEXT);

    if ((run != page) || (get(heap, last, KIND) != FREE_RUN) || (get(heap, last, COUNT) != length) ||
        ({% if pool.retain %}(length > RETAIN) && {% endif %}((last + 1U) == top)) || (next == (last + 1U))) {
        return false;
    }
    return (next == 0U) || ((next < top) && (get(heap, next, PREVIOUS) == page));
}

/* P3 for a page of objects. */
static bool objects_are_sound(const Heap *heap, Index page, Index size_class)
{
{%- if pool.search != "hardware" %}
    const Index map = entry_of(heap, page) + BITMAP;
{%- endif %}
    Index count = 0U;

    for (Index object = 0U; object < objects_of(size_class); object++) {
        count += {{ "object_is_free(heap, page, size_class, object)" if pool.search == "hardware" else "bit_is_set(heap, map, object)" }} ? 1U : 0U;
    }
{%- if pool.search == "tree" %}
    if (!map_agrees(heap, map, objects_of(size_class))) {
        return false;
    }
{%- endif %}
    return (count == get(heap, page, COUNT)) && (count < objects_of(size_class));
}

/* P4: the lists hold `listed` pages, each of its class and with a free object. */
static bool lists_are_sound(const Heap *heap, Index listed)
{
    Index left = listed;

    for (Index size_class = 0U; size_class < CLASSES; size_class++) {
        Index previous = 0U;

        for (Index page = load(heap, CLASS_LISTS + size_class); page != 0U; page = get(heap, page, NEXT)) {
            if ((page >= load(heap, TOP)) || (left == 0U) || (get(heap, page, KIND) != (OBJECTS + size_class)) ||
                (get(heap, page, COUNT) == 0U) || (get(heap, page, PREVIOUS) != previous)) {
                return false;
            }
            left--;
            previous = page;
        }
    }
    return left == 0U;
}

/* The number of the first invariant that is broken, or 0. */
static unsigned int pool_check(const Heap *heap)
{
    const Index top = load(heap, TOP);
    Index run = load(heap, RUNS);
    Index listed = 0U;
    Index length;

    if ((top == 0U) || (top > load(heap, HIGH)) || ((top - 1U) > load(heap, CAPACITY)) ||
        (start_of(heap, top) > heap->length)) {
        return 5U;
    }
    for (Index page = 1U; page < top; page += length) {
        const Index kind = get(heap, page, KIND);

        length = (kind >= OBJECTS) ? 1U : get(heap, page, COUNT);
        if ((kind == INSIDE) || (length == 0U) || (length > (top - page)) || (kind >= (OBJECTS + CLASSES)) ||
            ((kind == DIRECTORY) != (load(heap, PLACE) == start_of(heap, page)))) {
            return 1U;
        }
        if (kind == FREE_RUN) {
            if (!run_is_sound(heap, page, length, run)) {
                return 2U;
            }
            run = get(heap, page, NEXT);
        }
        if (kind >= OBJECTS) {
            if (!objects_are_sound(heap, page, kind - OBJECTS)) {
                return 3U;
            }
            listed += (get(heap, page, COUNT) > 0U) ? 1U : 0U;
        }
    }
    if (run != 0U) {
        return 2U;
    }
    return lists_are_sound(heap, listed) ? 0U : 4U;
}

{%- if "counters" in extras %}
/* Says how much is in use. */
static void pool_statistics(const Heap *heap, struct {{ n }}_statistics *counts)
{
    counts->footprint = (size_t)start_of(heap, load(heap, TOP)) * WORD;
    counts->footprint_peak = (size_t)start_of(heap, load(heap, HIGH)) * WORD;
}
{%- else %}
/* Counts blocks of this many bytes. */
static void count_free(struct {{ n }}_statistics *counts, size_t blocks, size_t bytes)
{
    counts->free_blocks += blocks;
    counts->free_bytes += blocks * bytes;
    if ((blocks > 0U) && (bytes > counts->largest_free)) {
        counts->largest_free = bytes;
    }
}

/* Counts objects and runs; a free run is one block. */
static void pool_statistics(const Heap *heap, struct {{ n }}_statistics *counts)
{
    const Index top = load(heap, TOP);
    Index length;

    counts->footprint = (size_t)start_of(heap, top) * WORD;
    counts->footprint_peak = (size_t)start_of(heap, load(heap, HIGH)) * WORD;
    for (Index page = 1U; page < top; page += length) {
        const Index kind = get(heap, page, KIND);
        const size_t count = (size_t)get(heap, page, COUNT);

        length = (kind >= OBJECTS) ? 1U : get(heap, page, COUNT);
        if (kind >= OBJECTS) {
            const size_t bytes = (size_t)object_words(kind - OBJECTS) * WORD;
            const size_t used = (size_t)objects_of(kind - OBJECTS) - count;

            counts->used_blocks += used;
            counts->used_bytes += used * bytes;
            count_free(counts, count, bytes);
        } else if (kind == FREE_RUN) {
            count_free(counts, 1U, count * PAGE);
        } else {
            counts->used_blocks++;
            counts->used_bytes += count * PAGE;
        }
    }
}
{%- endif %}
