{%- macro out_of_memory(is_refused) %}
{%- if "out-of-memory" in extras %}
    if ({{ is_refused }}) {
        {{ N }}_OUT_OF_MEMORY(heap, size);
    }
{%- endif %}
{%- endmacro %}
{#- What a free list serves is served without what follows, unless the heap is compiled for size. #}
{%- macro hit(alignment) %}
    {{ N }}_LOCK(heap);
    block = pointer_to(heap, {{ op.hit }}(heap, size));
    if (block != NULL) {
        {{ N }}_TRACE(heap, 'a', NULL, block, size, {{ alignment }});
        {{ N }}_UNLOCK(heap);
        return block;
    }
    {{ N }}_UNLOCK(heap);
{%- endmacro -%}
{%- macro allocated(is_urgent=false) %}
    void *block;

    {{ N }}_LOCK(heap);
{%- if is_urgent %}
    heap->is_urgent = true;
{%- endif %}
    block = pointer_to(heap, {{ op.allocate }}(heap, size, alignment));
{%- if is_urgent %}
    heap->is_urgent = false;
{%- endif %}
    {{ N }}_TRACE(heap, 'a', NULL, block, size, alignment);
    {{ N }}_UNLOCK(heap);
{{- out_of_memory("(block == NULL) && (size > 0U)") }}
    return block;
{%- endmacro -%}
/* {{ name }}: see {{ name }}.h.
 *
{%- for line in spec_lines %}
 *     {{ line }}
{%- endfor %}
 *
 * Of MISRA C:2012 the advisory rule 15.5 is not kept: functions return where they are done. Other
 * deviations are noted in place, with their reason.
 */
#include "{{ name }}.h"
{%- if uses_leading_zeros or uses_trailing_zeros %}

#include <limits.h>
{%- endif %}
{%- if guards or not in_order %}

/* Under an operating system blocks are copied by its C library. */
#if __STDC_HOSTED__ && (defined(__unix__) || defined(__APPLE__) || defined(_WIN32))
#include <string.h>
#endif
{%- endif %}
{%- if "config" in extras %}

#include "{{ name }}_config.h"
{%- endif %}

#ifndef {{ N }}_ASSERT
#define {{ N }}_ASSERT(condition) ((void)0)
#endif
#ifndef {{ N }}_LOCK
#define {{ N }}_LOCK(heap) ((void)0)
#define {{ N }}_UNLOCK(heap) ((void)0)
#endif
{%- if tells %}
#ifndef {{ N }}_ON_ERROR
#if defined(__GNUC__)
#define {{ N }}_ON_ERROR(heap, error, block) __builtin_trap()
#else
#define {{ N }}_ON_ERROR(heap, error, block) for (;;) { }
#endif
#endif
{%- endif %}
#ifndef {{ N }}_TRACE
#define {{ N }}_TRACE(heap, what, old, block, size, alignment) ((void)0)
#endif
{%- if "out-of-memory" in extras %}
#ifndef {{ N }}_OUT_OF_MEMORY
#define {{ N }}_OUT_OF_MEMORY(heap, size) ((void)0)
#endif
{%- endif %}

typedef {{ n }} Heap;
typedef {{ word_type }} Word;
/* Counts words from the region's base, and holds whatever a word holds. */
typedef {{ index_type }} Index;
/* The same where it becomes an address: as wide as that is computed. */
typedef {{ "uint64_t" if word == 8 else "uint_fast32_t" }} Place;

/* Bytes in a word; what every payload is a multiple of; words of the largest region. */
#define WORD {{ word }}U
#define ALIGNMENT {{ alignment }}U
#define MAX_WORDS {{ max }}

/* Control words: TOP names the wilderness, HIGH keeps the most that TOP ever was. */
{%- for constant in constants %}
#define {{ constant.name }} {{ constant.value }}U
{%- endfor %}

#ifdef __cplusplus
#define MUST_HOLD static_assert
#elif defined(__STDC_VERSION__) && (__STDC_VERSION__ >= 201112L)
#define MUST_HOLD _Static_assert
#else
/* C99 has no such assertion: an array of a negative length does not compile. */
#define MUST_HOLD(condition, why) extern int must_hold[(condition) ? 1 : -1]
#endif

MUST_HOLD(sizeof(Word) == WORD, "a word of the heap has the size that the links are made for");
MUST_HOLD(sizeof(Index) >= sizeof(Word), "an index holds whatever a word holds");
MUST_HOLD((ALIGNMENT % WORD) == 0U, "payloads are aligned to whole words");
MUST_HOLD((ALIGNMENT & (ALIGNMENT - 1U)) == 0U, "the alignment is a power of two");

{% if asks_for_large %}
/* Whether no block can hold this many bytes. */
static inline bool is_too_large(size_t size)
{
{%- if word == 8 %}
#if SIZE_MAX > UINT32_MAX
    return size > {{ max_request }};
#else
    (void)size;
    return false;
#endif
{%- else %}
    return size > {{ max_request }};
{%- endif %}
}

{% endif %}
{%- if asks_for_coarse %}
/* Whether no region has an address that is a multiple of this many bytes, and room behind it. */
static inline bool is_too_coarse(size_t alignment)
{
{%- if word == 8 %}
#if SIZE_MAX > UINT32_MAX
    return alignment > {{ max_alignment }};
#else
    (void)alignment;
    return false;
#endif
{%- else %}
    return alignment > {{ max_alignment }};
{%- endif %}
}

{% endif %}
/* Words of a region of this many bytes. */
static inline Index words_in(size_t bytes)
{
    const size_t words = bytes / WORD;
{% if word == 8 %}
#if SIZE_MAX > UINT32_MAX
    return (words < MAX_WORDS) ? words : MAX_WORDS;
#else
    return words;
#endif
{%- else %}
    return (words < MAX_WORDS) ? (Index)words : MAX_WORDS;
{%- endif %}
}

/* The address of a word: alignments are asked of addresses, not of indexes. */
static inline uintptr_t address_of(const Word *word)
{
    /* cppcheck-suppress misra-c2012-11.4 ; an address is a number here, and is never made a pointer again */
    return (uintptr_t)word;
}
{% include "zeros.c" %}
{% include "memory.c" %}
{%- if checked and not checks_by_call %}{% include "in_place.c" %}{% endif %}
{%- set in_place = "IN_PLACE" if checked and not checks_by_call else "static" %}
{%- if pool.family == "blocks" %}
{%- include "block.c" %}
{%- if chain %}{% include "index/chain.c" %}{% endif %}
{%- if index.small_heads %}{% include "index/small.c" %}{% include "index/equals.c" %}{% endif %}
{%- if index.bin_file %}{% include index.bin_file %}{% endif %}
{%- include index.file %}
{%- if checked %}{% include "pool/checked.c" %}{% endif %}
{% include "pool/pool.c" %}
{% include "pool/coalesce.c" %}
{% include "pool/allocate.c" %}
{% include "pool/aligned.c" %}
{% include "pool/reallocate.c" %}
{% include "pool/heap.c" %}
{% include "pool/check.c" %}
{%- else %}
{%- include pool_file %}
{%- endif %}
{%- if free_lists or spans %}

/* What few requests need is a function of its own, so that the others save no registers for it; not where size is what counts. */
#if defined(__GNUC__) && !defined(__OPTIMIZE_SIZE__)
#define RARE static __attribute__((noinline, cold))
{%- if free_lists or op.hit %}
#define SELDOM static __attribute__((noinline))
{%- endif %}
#else
#define RARE static
{%- if free_lists or op.hit %}
#define SELDOM static
{%- endif %}
#endif
{%- endif %}
{%- if op.hit %}

/* The two functions of a hit begin where such a processor fetches: their first instructions come at once. */
#if defined(__GNUC__) && defined(__x86_64__) && !defined(__OPTIMIZE_SIZE__)
#define FETCH_ALIGNED __attribute__((aligned(32)))
#else
#define FETCH_ALIGNED
#endif
{%- endif %}
{%- if free_lists %}
{%- set layer = free_lists %}
{% include layer.file %}
{%- endif %}
{%- if measures %}{% include "block_bytes.c" %}{% endif %}
{% include "move.c" %}
{%- if walks %}{% include "walk.c" %}{% endif %}
{%- for layer in layers %}
{% include layer.file %}
{%- endfor %}
{%- if "trim" in extras %}{% include "trim.c" %}{% endif %}

/* ---- The heap as others see it ---------------------------------------------------------------- */

{%- if not tells %}

static inline Place place_in(const Heap *heap, const void *block)
{
    /* cppcheck-suppress misra-c2012-11.5 ; a block of this heap begins at a word */
    const Word *const word = (const Word *)block;

    /* cppcheck-suppress [misra-c2012-10.8, misra-c2012-18.4] ; both point into the region, `word` behind its base */
    return (Place)(word - heap->words);
}

static inline Index index_of(const Heap *heap, const void *block)
{
    return (Index)place_in(heap, block);
}
{%- endif %}

static inline void *pointer_to(const Heap *heap, Place block)
{
    return (block == 0U) ? NULL : &heap->words[block];
}

bool {{ n }}_init({{ n }} *heap, void *region, size_t bytes)
{
    /* cppcheck-suppress misra-c2012-11.5 ; whether it begins at a word is looked at below */
    heap->words = (Word *)region;
{%- if tells %}
    heap->last_error = 0U;
{%- endif %}
    heap->length = words_in(bytes);
{%- if reserves %}
    heap->limit = reserve_limit(bytes);
    heap->is_urgent = false;
{%- endif %}
    if ((region == NULL) || ((address_of(heap->words) % WORD) != 0U)) {
        return false;
    }
    return {{ op.init }}(heap);
}

{% if op.hit %}
/* A request that is no hit. */
SELDOM void *allocate_new(Heap *heap, size_t size, size_t alignment)
{
    {{- allocated() }}
}

{% endif %}
{% if op.hit %}FETCH_ALIGNED {% endif %}void *{{ n }}_allocate({{ n }} *heap, size_t size)
{
{%- if op.hit %}
#ifndef __OPTIMIZE_SIZE__
    void *block;
{{ hit("0U") }}
#endif
    return allocate_new(heap, size, 0U);
{%- else %}
    return {{ n }}_allocate_aligned(heap, size, 0U);
{%- endif %}
}

{% if op.hit -%}
/* cppcheck-suppress misra-c2012-8.7 ; it is for programs */
{% endif -%}
void *{{ n }}_allocate_aligned({{ n }} *heap, size_t size, size_t alignment)
{
{%- if op.hit %}
#ifndef __OPTIMIZE_SIZE__
    if (alignment <= {{ promised }}U) {
        void *block;
{{ hit("alignment") | indent }}
    }
#endif
    return allocate_new(heap, size, alignment);
{%- else %}
    {{- allocated() }}
{%- endif %}
}

{% if reserves %}
void *{{ n }}_allocate_urgent({{ n }} *heap, size_t size, size_t alignment)
{
    {{- allocated(is_urgent=true) }}
}

{% endif %}
{%- if "calloc" in extras %}
void *{{ n }}_calloc({{ n }} *heap, size_t number, size_t size)
{
    const bool fits = (number == 0U) || (size <= (SIZE_MAX / number));
    const size_t bytes = fits ? (number * size) : SIZE_MAX;
    void *const block = {{ n }}_allocate_aligned(heap, bytes, 0U);
{%- if zeroes %}

    return block;
{%- else %}
    /* cppcheck-suppress misra-c2012-11.5 ; bytes may be written at any address */
    IN_LOOP unsigned char *const contents = (unsigned char *)block;

    for (size_t at = 0U; (block != NULL) && (at < bytes); at++) {
        contents[at] = 0U;
    }
    return block;
{%- endif %}
}

{% endif %}
void *{{ n }}_reallocate({{ n }} *heap, void *block, size_t size, size_t alignment)
{
    void *moved{% if tells %} = NULL{% endif %};
{%- if tells %}
    Index used;
{%- if "out-of-memory" in extras %}
    bool is_refused = false;
{%- endif %}
{%- endif %}

    if (block == NULL) {
        return {{ n }}_allocate_aligned(heap, size, alignment);
    }
    {{ N }}_LOCK(heap);
{%- if tells %}
    used = {{ op.find }}(heap, block);
    if (error_of(used) == 0U) {
        moved = pointer_to(heap, {{ op.reallocate }}(heap, used, size, alignment));
{%- if "out-of-memory" in extras %}
        is_refused = (moved == NULL) && (size > 0U);
{%- endif %}
    } else {
        heap_error(heap, error_of(used), block);
    }
{%- else %}
    moved = pointer_to(heap, {{ op.reallocate }}(heap, index_of(heap, block), size, alignment));
{%- endif %}
    {{ N }}_TRACE(heap, 'r', block, moved, size, alignment);
    {{ N }}_UNLOCK(heap);
{{- out_of_memory("is_refused" if tells else "(moved == NULL) && (size > 0U)") }}
    return moved;
}

{% set frees = "freed = " if in_order else "(void)" if op.refuses else "" %}
{% if op.hit %}FETCH_ALIGNED {% endif %}{% if in_order %}bool{% else %}void{% endif %} {{ n }}_free({{ n }} *heap, void *block)
{
{%- if in_order %}
    bool freed = true;

{%- endif %}
    if (block != NULL) {
{%- if tells and op.free != base.free and not counts_freed %}
        Index used;

{%- endif %}
        {{ N }}_LOCK(heap);
        {{ N }}_TRACE(heap, 'f', block, NULL, 0U, 0U);
{%- if counts_freed %}
        count_free(heap, free_block(heap, block));
{%- elif tells and op.free != base.free %}
        used = {{ op.find }}(heap, block);
        if (error_of(used) == 0U) {
            {{ frees }}{{ op.free }}(heap, used);
        } else {
            heap_error(heap, error_of(used), block);
{%- if in_order %}
            freed = false;
{%- endif %}
        }
{%- elif tells %}
        free_block(heap, block);
{%- else %}
        {{ frees }}{{ op.free }}(heap, {{ "place_in" if op.hit else "index_of" }}(heap, block));
{%- endif %}
        {{ N }}_UNLOCK(heap);
    }
{%- if in_order %}
    return freed;
{%- endif %}
}

size_t {{ n }}_usable_size(const {{ n }} *heap, const void *block)
{
    size_t bytes{% if tells %} = 0U{% endif %};
{%- if tells %}
    Index used;
{%- endif %}

    {{ N }}_LOCK(heap);
{%- if tells %}
    used = {{ op.find }}(heap, block);
    if (error_of(used) == 0U) {
        bytes = {{ op.usable }}(heap, used);
    } else {
        {{ N }}_ON_ERROR(heap, error_of(used), block);
    }
{%- else %}
    bytes = {{ op.usable }}(heap, index_of(heap, block));
{%- endif %}
    {{ N }}_UNLOCK(heap);
    return bytes;
}
{%- if "owns" in extras %}

bool {{ n }}_owns(const {{ n }} *heap, const void *pointer)
{
    /* cppcheck-suppress misra-c2012-11.6 ; an address is a number here, and is never made a pointer again */
    return ((uintptr_t)pointer - address_of(heap->words)) < ((uintptr_t)heap->length * WORD);
}
{%- endif %}
{%- if "trim" in extras %}

void {{ n }}_trim({{ n }} *heap)
{
    {{ N }}_LOCK(heap);
    trim(heap);
    {{ N }}_UNLOCK(heap);
}
{%- endif %}
{%- if tells %}

unsigned int {{ n }}_last_error(const {{ n }} *heap)
{
    return heap->last_error;
}
{%- endif %}

{%- if pool.handles %}
{% include "buddy/handles.c" %}
{%- endif %}

unsigned int {{ n }}_check(const {{ n }} *heap)
{
    unsigned int broken;

    {{ N }}_LOCK(heap);
    broken = {{ op.check }}(heap);
    {{ N }}_UNLOCK(heap);
    return broken;
}

{%- if "walk" in extras %}
void {{ n }}_walk(const {{ n }} *heap, {{ n }}_visitor visit, void *context)
{
    Walk walk;

    walk.visit = visit;
    walk.context = context;
    {{ N }}_LOCK(heap);
    {{ op.walk }}(heap, &walk);
    {{ N }}_UNLOCK(heap);
}

{% endif %}
struct {{ n }}_statistics {{ n }}_statistics(const {{ n }} *heap)
{
    struct {{ n }}_statistics counts;

{%- if "counters" in extras %}
    {{ N }}_LOCK(heap);
    counts.live_blocks = heap->live_blocks;
    counts.free_bytes = heap->free_bytes;
    counts.min_free_bytes = heap->min_free_bytes;
    counts.refused = heap->refused;
    counts.largest_request = heap->largest_request;
{%- else %}
    /* One by one: of an initialiser some compilers make a call of memset. */
    counts.used_blocks = 0U;
    counts.used_bytes = 0U;
    counts.free_blocks = 0U;
    counts.free_bytes = 0U;
    counts.largest_free = 0U;
{%- if pool.handles %}
    counts.last_moved = 0U;
    counts.max_moved = 0U;
{%- endif %}
    {{ N }}_LOCK(heap);
{%- endif %}
    counts.region = (size_t)heap->length * WORD;
    {{ op.statistics }}(heap, &counts);
    {{ N }}_UNLOCK(heap);
    return counts;
}
