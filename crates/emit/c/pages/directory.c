
/* ---- The pool: pages of objects of one size ----------------------------------------------------
 *
 *   | control | directory | 16 16 ... | 64 64 ... | run of 2 pages | wilderness |
 *                           page 1      page 2      pages 3, 4       ^ TOP
 *
 * A request of up to half a page is rounded up to a power of two and served by an object in a page of such
 * objects; a larger one by the first run of free pages that holds it. Objects have no header: the
 * directory holds the class of their page and its bitmap, one entry per page:
 *
 *   | kind | count | next | previous | bitmap ... |       count: pages of a run, or free objects
 *
 * Pages are numbered from 1. The first and the last entry of a free run hold its length. When the directory is
 * full it moves to a run of pages, twice as large; before a request is refused it moves back where it can.
 *
 * P1  Pages of objects, used runs and free runs tile the pages up to the wilderness.
 * P2  Free runs are listed in address order and touch neither each other nor{% if pool.retain %}, if they are longer than
 *     what is retained,{% endif %} the wilderness.
 * P3  A page has as many free objects as its bitmap has bits, and not all of them.
 * P4  A page of objects is on the list of its class if and only if an object is free.
 * P5  The directory has room for every page.
 *
 * Kamp, phkmalloc; Li, Mohanty and Kavi, sections II and III.
 */

#define GRID 4096U
/* Bytes and words of a page, bytes of the smallest object, classes of objects, words of an entry. */
#define PAGE {{ pool.page }}U
#define PAGE_WORDS (PAGE / WORD)
#define MIN_OBJECT {{ pool.min_object }}U
#define CLASSES {{ pool.classes }}U
#define ENTRY {{ pool.entry }}U
#define BITS {{ pool.bits }}U
{%- if pool.retain %}
/* Pages that stay free at the end. */
#define RETAIN {{ pool.retain }}U
{%- endif %}

/* Control words: the first entry, how many there is room for, the first free run, the lists of the classes. */
#define PLACE INDEX
#define CAPACITY (INDEX + 1U)
#define RUNS (INDEX + 2U)
#define CLASS_LISTS (INDEX + 3U)

/* Kinds of entries: the last page of a used run, free, used, the directory itself, objects of class 0 and on. */
#define INSIDE 0U
#define FREE_RUN 1U
#define USED_RUN 2U
#define DIRECTORY 3U
#define OBJECTS 4U

/* Words of an entry. */
#define KIND 0U
#define COUNT 1U
#define NEXT 2U
#define PREVIOUS 3U
#define BITMAP 4U

static inline Index entry_of(const Heap *heap, Index page)
{
    return load(heap, PLACE) + ((page - 1U) * ENTRY);
}

static inline Index get(const Heap *heap, Index page, Index field)
{
    return load(heap, entry_of(heap, page) + field);
}

static inline void set(Heap *heap, Index page, Index field, Index value)
{
    store(heap, entry_of(heap, page) + field, value);
}

{%- if checked %}
/* Bytes that blocks are a multiple of. */
#define STEP_BYTES MIN_OBJECT

{% include "heap_errors.c" %}

/* Says of the entries of the pages from `page` up to the directory's capacity that no used block begins there. */
static void clear_from(Heap *heap, Index page)
{
    const Index capacity = load(heap, CAPACITY);

    for (Index entry = page; entry <= capacity; entry++) {
        set(heap, entry, KIND, INSIDE);
    }
}

{% endif %}
/* The first word of a page. */
static inline Index start_of(const Heap *heap, Index page)
{
    return heap->first + ((page - 1U) * PAGE_WORDS);
}

static inline Index page_of(const Heap *heap, Index at)
{
    return ((at - heap->first) / PAGE_WORDS) + 1U;
}

static void set_top(Heap *heap, Index top)
{
    store(heap, TOP, top);
    if (top > load(heap, HIGH)) {
        store(heap, HIGH, top);
    }
}

/* Makes a used run. */
static void write_used(Heap *heap, Index page, Index length, Index kind)
{
    set(heap, page, KIND, kind);
    set(heap, page, COUNT, length);
    if (length > 1U) {
        set(heap, (page + length) - 1U, KIND, INSIDE);
    }
}

/* Writes both ends of a free run. */
static void write_free(Heap *heap, Index page, Index length)
{
    set(heap, page, KIND, FREE_RUN);
    set(heap, page, COUNT, length);
    set(heap, (page + length) - 1U, KIND, FREE_RUN);
    set(heap, (page + length) - 1U, COUNT, length);
}

/* Puts a page behind `previous` on a list; 0 is in front. */
static void link_page(Heap *heap, Index list, Index previous, Index page)
{
    const Index next = (previous == 0U) ? load(heap, list) : get(heap, previous, NEXT);

    set(heap, page, NEXT, next);
    set(heap, page, PREVIOUS, previous);
    if (next != 0U) {
        set(heap, next, PREVIOUS, page);
    }
    if (previous == 0U) {
        store(heap, list, page);
    } else {
        set(heap, previous, NEXT, page);
    }
}

/* Takes a page off a list, and returns the page before it. */
static Index unlink_page(Heap *heap, Index list, Index page)
{
    const Index next = get(heap, page, NEXT);
    const Index previous = get(heap, page, PREVIOUS);

    if (previous == 0U) {
        store(heap, list, next);
    } else {
        set(heap, previous, NEXT, next);
    }
    if (next != 0U) {
        set(heap, next, PREVIOUS, previous);
    }
    return previous;
}

/* The last free run before a page, or 0. */
static Index run_before(const Heap *heap, Index page)
{
    Index previous = 0U;
    Index next = load(heap, RUNS);

    while ((next != 0U) && (next < page)) {
        previous = next;
        next = get(heap, next, NEXT);
    }
    return previous;
}

{%- if pool.order != "lifo" %}

/* The page behind which `page` goes on the list of its class, or 0 for the front:
{%- if pool.order == "address" %} by address{% else %} in front of the last page below it{% endif %}. */
static Index place_of(const Heap *heap, Index list, Index page)
{
    Index previous = 0U;
    Index next = load(heap, list);

{%- if pool.order == "address" %}

    while ((next != 0U) && (next < page)) {
{%- else %}

    while (next != 0U) {
        const Index seen = get(heap, next, NEXT);

        if ((seen == 0U) || (seen >= page)) {
            break;
        }
{%- endif %}
        previous = next;
        next = get(heap, next, NEXT);
    }
    return previous;
}
{%- endif %}

/* Takes `length` pages from `from` on out of the free run `page` of `free_pages` pages. */
static void carve(Heap *heap, Index page, Index free_pages, Index from, Index length)
{
    const Index before = from - page;
    const Index after = (page + free_pages) - (from + length);
    Index previous = page;

    if (before > 0U) {
        write_free(heap, page, before);
    } else {
        previous = unlink_page(heap, RUNS, page);
    }
    if (after > 0U) {
        write_free(heap, from + length, after);
        link_page(heap, RUNS, previous, from + length);
    }
}

/* Frees a run of pages; it joins the free runs next to it, or the wilderness. */
static void free_run(Heap *heap, Index freed, Index length)
{
    const Index top = load(heap, TOP);
    Index page = freed;
    Index end = page + length;
    Index previous = 0U;
    bool placed = false;

    if ((end < top) && (get(heap, end, KIND) == FREE_RUN)) {
        const Index next = end;

        end += get(heap, next, COUNT);
        previous = unlink_page(heap, RUNS, next);
        placed = true;
    }
    if ((page > 1U) && (get(heap, page - 1U, KIND) == FREE_RUN)) {
        page -= get(heap, page - 1U, COUNT);
        previous = unlink_page(heap, RUNS, page);
        placed = true;
    }
{%- if pool.retain %}
    if ((end == top) && ((end - page) > RETAIN)) {
        end = page + RETAIN;
        set_top(heap, end);
    }
    {
{%- else %}
    if (end == top) {
        set_top(heap, page);
    } else {
{%- endif %}
        if (!placed) {
            previous = run_before(heap, page);
        }
        write_free(heap, page, end - page);
        link_page(heap, RUNS, previous, page);
    }
}

{%- if pool.retain %}

/* Gives the free run at the end to the wilderness, if there is one. */
static bool release_last(Heap *heap)
{
    const Index top = load(heap, TOP);
    Index page;

    if ((top == 1U) || (get(heap, top - 1U, KIND) != FREE_RUN)) {
        return false;
    }
    page = top - get(heap, top - 1U, COUNT);
    (void)unlink_page(heap, RUNS, page);
    set_top(heap, page);
    return true;
}
{%- endif %}

/* Moves the directory back to the space behind the control words, where it began, if it is the last of the used pages
 * and that space holds the entries of those before it. */
static bool move_back(Heap *heap)
{
    const Index old = load(heap, PLACE);
    const Index capacity = (heap->first - CONTROL) / ENTRY;
    Index page;
    Index end;

    if (old < heap->first) {
        return false;
    }
    page = page_of(heap, old);
    end = page;
    if ((page > 1U) && (get(heap, page - 1U, KIND) == FREE_RUN)) {
        end -= get(heap, page - 1U, COUNT);
    }
    if (((page + get(heap, page, COUNT)) != load(heap, TOP)) || (end > (capacity + 1U))) {
        return false;
    }
    if (end != page) {
        (void)unlink_page(heap, RUNS, end);
    }
    for (Index word = 0U; word < ((end - 1U) * ENTRY); word++) {
        fill(heap, CONTROL + word, load(heap, old + word));
    }
    store(heap, PLACE, CONTROL);
    store(heap, CAPACITY, capacity);
{%- if checked %}
    clear_from(heap, end);
{%- endif %}
    set_top(heap, end);
    return true;
}

/* Moves the directory to the wilderness, so that it has room for `more` pages, and for `skipped` before them,
 * above what is there then. */
static bool enlarge(Heap *heap, Index more, Index skipped)
{
    const Index top = load(heap, TOP);
    const Index capacity = load(heap, CAPACITY);
    const Index wanted = (top - 1U) + more;
    const Index doubled = ((2U * capacity * ENTRY) + (PAGE_WORDS - 1U)) / PAGE_WORDS;
    const Index old = load(heap, PLACE);
    const Index place = start_of(heap, top);
    Index length;

    if ((heap->first + (wanted * PAGE_WORDS)) > heap->length) {
        return false;
    }
    length = (((wanted + skipped) * ENTRY) + ((PAGE_WORDS - ENTRY) - 1U)) / (PAGE_WORDS - ENTRY);
    if (length < doubled) {
        length = doubled;
    }
    if (length < 1U) {
        length = 1U;
    }
    if ((heap->first + ((wanted + length) * PAGE_WORDS)) > heap->length) {
        return false;
    }
    for (Index word = 0U; word < ((top - 1U) * ENTRY); word++) {
        fill(heap, place + word, load(heap, old + word));
    }
    store(heap, PLACE, place);
    store(heap, CAPACITY, (length * PAGE_WORDS) / ENTRY);
{%- if checked %}
    clear_from(heap, top);
{%- endif %}
    set_top(heap, top + length);
    write_used(heap, top, length, DIRECTORY);
    if (old >= heap->first) {
        const Index page = page_of(heap, old);

        free_run(heap, page, get(heap, page, COUNT));
    }
    return true;
}
