
/* ---- The layer: a guard around every block -----------------------------------------------------
 *
 *   a block of what is below
 *   | FRONT | canaries | FRONT | SIZE | SEAL | payload: SIZE bytes | pad | canary |
 *   ^ where it begins                        ^ the pointer that the program has
 *
 * FRONT counts the words before the payload: three, or what the alignment asks for. The seal depends on the block's place,
 * its size and its state: with the program{% if layer.quarantine %}, in quarantine{% endif %}, or given back. A pointer whose seal is none of these is foreign,
 * or its header was overwritten: a walk over all blocks decides which. A block with damage around it stays used.
{%- if layer.quarantine %}
 *
 * A freed block is filled with a pattern, and waits until {{ layer.quarantine }} others were freed. Its last word is then the link to the
 * block that was freed next. A request that finds no room gives all of them back first.
{%- endif %}
 *
 * G1  Every used block below has a seal, is cached there, or is the layer's own.
 * G2  The canaries of every block with the program are whole{% if layer.quarantine %}, and the pattern of every block in quarantine.
 * G3  The quarantine is a list from the oldest to the newest block, of as many as are counted{% endif %}.
 *
 * Perens 1987; Maguire 1993; Serebryany and others 2012.
 */

/* What every payload is a multiple of, in bytes; fewest words before a payload, and how many words before it they are. */
#define GUARD_ALIGNMENT ((size_t){{ promised }}U)
#define GUARD_WORDS 3U
#define GUARD_FRONT 3U
#define GUARD_SIZE 2U
#define GUARD_SEAL 1U

/* The states of a block, as its seal mixes them. */
#define SEAL_LIVE 0x5EA1U
#define SEAL_DETAINED 0x33C6U
#define SEAL_RELEASED 0xD07BU

/* Mixed into seals, canaries{% if layer.quarantine %} and links{% endif %}, so that no data can imitate them. */
#ifndef {{ N }}_SECRET
#define {{ N }}_SECRET 0U
#endif

/* A word around a payload that is with the program, and a byte between payload and canary. */
#define CANARY ((Word)({% if word == 8 %}UINT64_C(0xC5A596E1B4D2C5A5){% elif word == 4 %}0xB4D2C5A5U{% else %}0xC5A5U{% endif %} ^ {{ N }}_SECRET))
#define PAD 0xA5U
{%- if layer.quarantine %}
/* A byte of a payload in quarantine. */
#define POISON 0xDFU

/* The words of the layer's own block, and the most blocks in quarantine. */
#define OLDEST 0U
#define NEWEST 1U
#define DETAINEES 2U
#define QUARANTINE_WORDS 3U
#define QUARANTINE {{ layer.quarantine }}U
{%- endif %}
{% if not checked %}
{% include "tell.c" %}
{% endif %}
/* Whether no region has room for a payload of this many bytes, or an address that is a multiple of `alignment`. */
static bool guard_refuses(size_t size, size_t alignment)
{
    if ((size == 0U) || ((alignment & (alignment - 1U)) != 0U) || is_too_coarse(alignment)) {
        return true;
    }
{%- if word == 8 %}
#if SIZE_MAX > UINT32_MAX
    return size > {{ max_layered }};
#else
    return false;
#endif
{%- else %}
    return size > {{ max_layered }};
{%- endif %}
}

/* What the block below is aligned to for a payload of this alignment. */
static inline size_t guard_alignment(size_t alignment)
{
    return (alignment > GUARD_ALIGNMENT) ? alignment : GUARD_ALIGNMENT;
}

/* Bytes of the block below, with this many words before the payload; more than any block has if they are too many. */
static size_t guard_total(Index front, size_t size)
{
    const size_t words = (size / WORD) + (((size % WORD) != 0U) ? 1U : 0U) + (size_t)front + 1U;

    return (words <= (SIZE_MAX / WORD)) ? (words * WORD) : SIZE_MAX;
}

/* Bytes of the payload, and where the block below begins, as the header of a block says. */
static size_t guard_usable(const Heap *heap, Index block)
{
    return (size_t)load(heap, block - GUARD_SIZE);
}

static inline Index guard_below(const Heap *heap, Index block)
{
    return block - load(heap, block - GUARD_FRONT);
}

/* The canary behind a payload{% if layer.quarantine %}; in quarantine, the link{% endif %}. */
static Index guard_rear(const Heap *heap, Index block)
{
    const Index size = load(heap, block - GUARD_SIZE);

    return block + (size / WORD) + (((size % WORD) != 0U) ? 1U : 0U);
}

{%- if layer.quarantine %}

/* A link as a block in quarantine has it, or the block that it names. */
static inline Index guard_link(Index link)
{
    return (Word)(link ^ {{ N }}_SECRET);
}
{%- endif %}

/* The seal that a block with this header has in a state. */
static Index guard_seal(const Heap *heap, Index block, Index state)
{
    const Index place = (block * 0x9E3779B1U) + (block >> 3U);

    return (Word)(place ^ (load(heap, block - GUARD_SIZE) * 31U) ^ (load(heap, block - GUARD_FRONT) * 0x101U) ^ state ^ {{ N }}_SECRET);
}

static bool is_sealed(const Heap *heap, Index block, Index state)
{
    return load(heap, block - GUARD_SEAL) == guard_seal(heap, block, state);
}

static void set_seal(Heap *heap, Index block, Index state)
{
    store(heap, block - GUARD_SEAL, guard_seal(heap, block, state));
}

/* Fills a block with a value from byte `from` up to byte `end` of its payload. */
static void guard_fill(Heap *heap, Index block, size_t from, size_t end, unsigned char value)
{
    IN_LOOP unsigned char *const contents = (unsigned char *)&heap->words[block];

    for (size_t at = from; at < end; at++) {
        contents[at] = value;
    }
}

/* Whether these bytes of a block have the value. */
static bool guard_holds(const Heap *heap, Index block, size_t from, size_t end, unsigned char value)
{
    const unsigned char *const contents = (const unsigned char *)&heap->words[block];

    for (size_t at = from; at < end; at++) {
        if (contents[at] != value) {
            return false;
        }
    }
    return true;
}

/* Bytes from a payload to its canary. */
static size_t guard_padded(const Heap *heap, Index block)
{
    return (size_t)(guard_rear(heap, block) - block) * WORD;
}

/* Writes all words around a payload that is with the program. */
static void guard_write(Heap *heap, Index block, size_t size, Index front)
{
    const Index below = block - front;

    store(heap, below, front);
    for (Index at = below + 1U; at < (block - GUARD_FRONT); at++) {
        fill(heap, at, CANARY);
    }
    store(heap, block - GUARD_FRONT, front);
    store(heap, block - GUARD_SIZE, (Index)size);
    set_seal(heap, block, SEAL_LIVE);
    guard_fill(heap, block, size, guard_padded(heap, block), PAD);
    store(heap, guard_rear(heap, block), CANARY);
}

/* Whether the words around a payload that is with the program are as they were written. */
static bool is_whole(const Heap *heap, Index block)
{
    const Index below = guard_below(heap, block);

    if (load(heap, below) != (block - below)) {
        return false;
    }
    for (Index at = below + 1U; at < (block - GUARD_FRONT); at++) {
        if (load(heap, at) != CANARY) {
            return false;
        }
    }
    return guard_holds(heap, block, guard_usable(heap, block), guard_padded(heap, block), PAD) &&
           (load(heap, guard_rear(heap, block)) == CANARY);
}

/* Whether a payload may begin at this word: its header is among the blocks. */
static bool may_be_guarded(const Heap *heap, uintptr_t at)
{
    const Index control = {{ first }}{% if header > 0 %} - {{ header }}U{% endif %};

    return (at >= (control + GUARD_WORDS)) && (at < ({{ footprint }}));
}
{%- if layer.quarantine %}

static bool is_detained(const Heap *heap, Index block)
{
    return may_be_guarded(heap, (uintptr_t)block) && is_sealed(heap, block, SEAL_DETAINED);
}

/* Whether nobody wrote to a block in quarantine. */
static bool is_poisoned(const Heap *heap, Index block)
{
    const size_t size = guard_usable(heap, block);

    return guard_holds(heap, block, 0U, size, POISON) && guard_holds(heap, block, size, guard_padded(heap, block), PAD);
}
{%- endif %}

/* A block below that is visited, and what a visit is about. */
typedef struct guard_visit {
    const Heap *heap;
    Index block;
    Index found;
    bool is_damaged;
} GuardVisit;

/* The word at an address in the region. */
static Index guard_index(const Heap *heap, const void *pointer)
{
    /* cppcheck-suppress misra-c2012-11.6 ; an address is a number here, and is never made a pointer again */
    return (Index)(((uintptr_t)pointer - address_of(heap->words)) / WORD);
}

/* Whether a block below is the layer's own. */
static bool is_own(const Heap *heap, Index below)
{
{%- if layer.quarantine %}
    return below == heap->quarantine;
{%- else %}
    (void)heap;
    (void)below;
    return false;
{%- endif %}
}

/* Remembers the used block around a payload, for all that its first word and the smallest front give. */
static void look_around(void *context, const void *block, size_t bytes, unsigned int status)
{
    /* cppcheck-suppress misra-c2012-11.5 ; what this function is called with is a visit */
    GuardVisit *const visit = (GuardVisit *)context;
    const Index below = guard_index(visit->heap, block);
    const Index front = visit->block - below;

    if (status == {{ N }}_IS_CACHED) {
        visit->found = (visit->found == below) ? 0U : visit->found;
    } else if ((status == {{ N }}_IS_USED) && (below < visit->block) && (front < (bytes / WORD)) && !is_own(visit->heap, below)) {
        visit->found = ((front == GUARD_WORDS) || (load(visit->heap, below) == front)) ? below : 0U;
    } else {
        /* It is another. */
    }
}

/* Whether a used block below has its payload at `block`, whose header is damaged. */
static bool is_payload(const Heap *heap, Index block)
{
    GuardVisit visit;
    Walk walk;

    visit.heap = heap;
    visit.block = block;
    visit.found = 0U;
    visit.is_damaged = false;
    walk.visit = look_around;
    walk.context = &visit;
    {{ layer.below.walk }}(heap, &walk);
    return visit.found != 0U;
}

/* The block of the program's at `pointer`. If there is none, or something wrote around it, what is wrong, less 1: no block
 * begins at such an index, control words do. */
static Index guard_find(const Heap *heap, const void *pointer)
{
    /* cppcheck-suppress misra-c2012-11.6 ; an address is a number here, and is never made a pointer again */
    const uintptr_t offset = (uintptr_t)pointer - address_of(heap->words);
    const Index block = (Index)(offset / WORD);

    if (((offset % WORD) != 0U) || !may_be_guarded(heap, offset / WORD)) {
        return {{ N }}_FOREIGN - 1U;
    }
    if (is_sealed(heap, block, SEAL_LIVE)) {
        return is_whole(heap, block) ? block : ({{ N }}_DAMAGED - 1U);
    }
    if (is_sealed(heap, block, SEAL_DETAINED) || is_sealed(heap, block, SEAL_RELEASED)) {
        return {{ N }}_DOUBLE_FREE - 1U;
    }
    return is_payload(heap, block) ? ({{ N }}_DAMAGED - 1U) : ({{ N }}_FOREIGN - 1U);
}

/* Gives a block back to what is below. Returns whether it was taken. */
static bool guard_release(Heap *heap, Index block)
{
    const Index below = guard_below(heap, block);
{%- if checked %}
    const Index used = used_block(heap, &heap->words[below]);
{%- endif %}

    set_seal(heap, block, SEAL_RELEASED);
{%- if checked %}
    if (error_of(used) != 0U) {
        heap_error(heap, error_of(used), &heap->words[block]);
        return false;
    }
{%- endif %}
{%- if layer.below.refuses %}
    return {{ layer.below.free }}(heap, below);
{%- else %}
    {{ layer.below.free }}(heap, below);
    return true;
{%- endif %}
}
{%- if layer.quarantine %}

/* Empties the quarantine; what was in it stays used. */
static void forget_detained(Heap *heap)
{
    for (Index at = 0U; at < QUARANTINE_WORDS; at++) {
        fill(heap, heap->quarantine + at, 0U);
    }
}

/* Gives the oldest block of the quarantine back. Returns whether there was one. */
static bool guard_dismiss(Heap *heap)
{
    const Index block = load(heap, heap->quarantine + OLDEST);
    Index next;

    if (block == 0U) {
        return false;
    }
    if (!is_detained(heap, block)) {
        /* Neither it nor what was freed after it can be given back. */
        heap_error(heap, {{ N }}_DAMAGED, (block < heap->length) ? &heap->words[block] : NULL);
        forget_detained(heap);
        return true;
    }
    if (!is_poisoned(heap, block)) {
        heap_error(heap, {{ N }}_DAMAGED, &heap->words[block]);
    }
    next = guard_link(load(heap, guard_rear(heap, block)));
    if ((next != 0U) && !is_detained(heap, next)) {
        /* The link was overwritten: what followed cannot be found again. */
        heap_error(heap, {{ N }}_DAMAGED, &heap->words[block]);
        forget_detained(heap);
    } else {
        store(heap, heap->quarantine + DETAINEES, load(heap, heap->quarantine + DETAINEES) - 1U);
        store(heap, heap->quarantine + OLDEST, next);
        if (next == 0U) {
            store(heap, heap->quarantine + NEWEST, 0U);
        }
    }
    (void)guard_release(heap, block);
    return true;
}

/* Gives every block of the quarantine back. Returns whether there was one. */
static bool guard_flush(Heap *heap)
{
    bool any = false;

    while (guard_dismiss(heap)) {
        any = true;
    }
    return any;
}

/* Puts a block into the quarantine; the oldest leaves it if there are too many. */
static void guard_detain(Heap *heap, Index block)
{
    const Index newest = load(heap, heap->quarantine + NEWEST);
    const Index count = load(heap, heap->quarantine + DETAINEES);

    guard_fill(heap, block, 0U, guard_usable(heap, block), POISON);
    set_seal(heap, block, SEAL_DETAINED);
    store(heap, guard_rear(heap, block), guard_link(0U));
    if (is_detained(heap, newest)) {
        store(heap, guard_rear(heap, newest), guard_link(block));
    } else {
        store(heap, heap->quarantine + OLDEST, block);
    }
    store(heap, heap->quarantine + NEWEST, block);
    store(heap, heap->quarantine + DETAINEES, count + 1U);
    if (count == QUARANTINE) {
        (void)guard_dismiss(heap);
    }
}

static bool guard_init(Heap *heap)
{
    if (!{{ layer.below.init }}(heap)) {
        return false;
    }
{%- if reserves %}
    heap->is_urgent = true;
{%- endif %}
    heap->quarantine = {{ layer.below.allocate }}(heap, (size_t)QUARANTINE_WORDS * WORD, 1U);
{%- if reserves %}
    heap->is_urgent = false;
{%- endif %}
    if (heap->quarantine == 0U) {
        return false;
    }
    forget_detained(heap);
    return true;
}
{%- endif %}

static Index guard_allocate(Heap *heap, size_t size, size_t alignment)
{
    const size_t coarse = guard_alignment(alignment);
    const Index step = (Index)(coarse / WORD);
    const Index front = (GUARD_WORDS + (step - 1U)) & ~(step - 1U);
    Index below;

    if (guard_refuses(size, alignment)) {
        return 0U;
    }
    below = {{ layer.below.allocate }}(heap, guard_total(front, size), coarse);
{%- if layer.quarantine %}
    if ((below == 0U) && guard_flush(heap)) {
        below = {{ layer.below.allocate }}(heap, guard_total(front, size), coarse);
    }
{%- endif %}
    if (below == 0U) {
        return 0U;
    }
    guard_write(heap, below + front, size, front);
    return below + front;
}

/* Frees a block that was found whole. Returns whether it was freed. */
static bool guard_free(Heap *heap, Index block)
{
{%- if layer.quarantine %}
    guard_detain(heap, block);
    return true;
{%- elif layer.below.refuses or checked %}
    const bool is_free = guard_release(heap, block);

    if (!is_free) {
        set_seal(heap, block, SEAL_LIVE);
    }
    return is_free;
{%- else %}
    return guard_release(heap, block);
{%- endif %}
}

/* Serves a reallocation by a new block, the old one's contents, and its release. */
static Index guard_move(Heap *heap, Index block, size_t size, size_t alignment)
{
    const size_t old_bytes = guard_usable(heap, block);
    const Index moved = guard_allocate(heap, size, alignment);

    if (moved != 0U) {
        copy(heap, moved, block, (old_bytes < size) ? old_bytes : size);
        (void)guard_free(heap, block);
    }
    return moved;
}

static Index guard_reallocate(Heap *heap, Index block, size_t size, size_t alignment)
{
    const size_t coarse = guard_alignment(alignment);
    const size_t old_bytes = guard_usable(heap, block);
    const Index below = guard_below(heap, block);
    const Index front = block - below;
    Index moved;

    if (guard_refuses(size, alignment)) {
        return 0U;
    }
    if (((address_of(&heap->words[block]) & (coarse - 1U)) != 0U) || ((((size_t)front * WORD) & (coarse - 1U)) != 0U)) {
        return guard_move(heap, block, size, coarse);
    }
{%- if checked %}
    moved = used_block(heap, &heap->words[below]);
    if (error_of(moved) != 0U) {
        heap_error(heap, error_of(moved), &heap->words[block]);
        return 0U;
    }
{%- endif %}
    /* What the program gains must not be old canaries, and the old place is no block of the program's. */
    guard_fill(heap, block, old_bytes, guard_padded(heap, block), 0U);
    store(heap, guard_rear(heap, block), 0U);
    set_seal(heap, block, SEAL_RELEASED);
    moved = {{ layer.below.reallocate }}(heap, below, guard_total(front, size), coarse);
{%- if layer.quarantine %}
    if ((moved == 0U) && guard_flush(heap)) {
        moved = {{ layer.below.reallocate }}(heap, below, guard_total(front, size), coarse);
    }
{%- endif %}
    if (moved == 0U) {
        guard_write(heap, block, old_bytes, front);
        return 0U;
    }
    guard_write(heap, moved + front, size, front);
    return moved + front;
}
{%- if layer.is_measured %}

/* Bytes of the block below. */
static size_t guard_block_bytes(const Heap *heap, Index block)
{
    return {{ layer.below.block_bytes }}(heap, guard_below(heap, block));
}
{%- endif %}
{%- if layer.is_walked %}

/* Visits what is below, then once more what the layer keeps of it. */
static void guard_walk(const Heap *heap, const Walk *walk)
{
{%- if layer.quarantine %}
    Index count = 0U;

{%- endif %}
    {{ layer.below.walk }}(heap, walk);
{%- if layer.quarantine %}
    visit_block(heap, walk, heap->quarantine, {{ layer.below.usable }}(heap, heap->quarantine), {{ N }}_IS_CACHED);
    for (Index block = load(heap, heap->quarantine + OLDEST); (count <= QUARANTINE) && is_detained(heap, block);
         block = guard_link(load(heap, guard_rear(heap, block)))) {
        const Index below = guard_below(heap, block);

        count++;
        visit_block(heap, walk, below, {{ layer.below.usable }}(heap, below), {{ N }}_IS_CACHED);
    }
{%- endif %}
}
{%- endif %}

/* Looks at the words around a payload, and counts used blocks without a seal that are not cached. */
static void verify_block(void *context, const void *block, size_t bytes, unsigned int status)
{
    /* cppcheck-suppress misra-c2012-11.5 ; what this function is called with is a visit */
    GuardVisit *const visit = (GuardVisit *)context;
    const Heap *const heap = visit->heap;
    const Index below = guard_index(heap, block);

    if (status != {{ N }}_IS_FREE) {
        const Index front = load(heap, below);
        const bool has_room = (front >= GUARD_WORDS) && (front < (bytes / WORD));

        if (has_room && is_sealed(heap, below + front, SEAL_LIVE)) {
            visit->is_damaged = visit->is_damaged || !is_whole(heap, below + front);
        } else if ((has_room && is_sealed(heap, below + front, SEAL_DETAINED)) || is_own(heap, below)) {
            /* The layer keeps it. */
        } else if (status == {{ N }}_IS_USED) {
            visit->found++;
        } else {
            visit->found--;
        }
    }
}
{%- if layer.quarantine %}

/* 0, or the number of the invariant of the quarantine that is broken. */
static unsigned int check_detained(const Heap *heap)
{
    Index count = 0U;
    Index last = 0U;

    for (Index block = load(heap, heap->quarantine + OLDEST); (count <= QUARANTINE) && is_detained(heap, block);
         block = guard_link(load(heap, guard_rear(heap, block)))) {
        if (!is_poisoned(heap, block)) {
            return 15U;
        }
        last = block;
        count++;
    }
    return ((count == load(heap, heap->quarantine + DETAINEES)) && (count <= QUARANTINE) &&
            (last == load(heap, heap->quarantine + NEWEST))) ? 0U : 16U;
}
{%- endif %}

static unsigned int guard_check(const Heap *heap)
{
    const unsigned int broken = {{ layer.below.check }}(heap);
    GuardVisit visit;
    Walk walk;

    if (broken != 0U) {
        return broken;
    }
    visit.heap = heap;
    visit.block = 0U;
    visit.found = 0U;
    visit.is_damaged = false;
    walk.visit = verify_block;
    walk.context = &visit;
    {{ layer.below.walk }}(heap, &walk);
    if (visit.is_damaged) {
        return 15U;
    }
{%- if layer.quarantine %}
    return (visit.found != 0U) ? 14U : check_detained(heap);
{%- else %}
    return (visit.found != 0U) ? 14U : 0U;
{%- endif %}
}
