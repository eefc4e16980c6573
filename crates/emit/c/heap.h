/* {{ name }}: a memory allocator, emitted by heapsmith {{ version }}.
{% include "promise.txt" %} *
 * The region holds all that the heap is: control words{% if index.by_region %}, more for a longer region{% else %} of {{ control_bytes }} bytes{% endif %}, then the blocks. Words are of
 * {{ word }} bytes, payloads multiples of {{ promised }} bytes, a region at most {{ max_bytes }} bytes. Needs no C library and is
 * not thread-safe unless {{ N }}_LOCK and {{ N }}_UNLOCK say how to wait.
 *
 * Precondition: what is put into a block of {{ n }}_allocate is aligned to at most {{ promised }} bytes. For each of your
 * types, {{ N }}_ASSERT_ALIGNED(type); refuses to compile where that is not so.
 *
 * These may be defined when {{ name }}.c is compiled{% if "config" in extras %}, in {{ name }}_config.h{% endif %}; each does nothing by default:
 *     {{ N }}_ASSERT(condition)            what must hold
 *     {{ N }}_LOCK(heap), {{ N }}_UNLOCK(heap)   one thread at a time; every function but {{ n }}_init takes the lock, once. The
 *                                          first may declare a variable that the second reads
 *     {{ N }}_TRACE(heap, what, old, block, size, alignment)   a call, while the lock is held: 'a' allocate, 'r' reallocate,
 *                                          'f' free; the block that was given, NULL for 'a', and the one that is returned,
 *                                          NULL for 'f' and where the request was refused
{%- if "out-of-memory" in extras %}
 *     {{ N }}_OUT_OF_MEMORY(heap, size)    a request for `size` bytes was refused, not for 0. The lock is free: it may free
 *                                          blocks for the next request
{%- endif %}
{%- if tells %}
 *     {{ N }}_ON_ERROR(heap, error, block)     what happens on a heap error of which {{ N }}_DOUBLE_FREE and the others tell;
 *                                          by default the program stops. Where it returns, the operation is refused
{%- endif %}
{%- if guards %}
 *     {{ N }}_SECRET                       a number, or a variable that has its value before {{ n }}_init and keeps it: it is
 *                                          mixed into what the guard writes, so that no data can imitate it; 0 by default
{%- endif %}
{%- if uses_leading_zeros %}
 *     {{ N }}_COUNT_LEADING_ZEROS(word)    of a word that is not 0; by default the compiler's
{%- endif %}
{%- if uses_trailing_zeros %}
 *     {{ N }}_COUNT_TRAILING_ZEROS(word)   of a word that is not 0; by default the compiler's
{%- endif %}
 */
#ifndef {{ N }}_H
#define {{ N }}_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
/* cppcheck-suppress misra-c2012-2.5 ; it is for the types of users */
#define {{ N }}_ASSERT_ALIGNED(held) \
    static_assert(alignof(held) <= {{ promised }}U, "the type is aligned to more than {{ promised }} bytes")
extern "C" {
#else
/* cppcheck-suppress misra-c2012-2.5 ; it is for the types of users */
#define {{ N }}_ASSERT_ALIGNED(held) \
    _Static_assert(_Alignof(held) <= {{ promised }}U, "the type is aligned to more than {{ promised }} bytes")
#endif

/* A heap. Its fields are private; it may be in any memory, but not in its region. */
typedef struct {{ n }} {
    {{ word_type }} *words; /* the region */
{%- if tells %}
    unsigned int last_error; /* the last heap error, or 0 */
{%- endif %}
    {{ index_type }} length; /* words of the region */
{%- for field in fields %}
    {{ field.type }} {{ field.name }}; /* {{ field.what }} */
{%- endfor %}
{%- if "counters" in extras %}
    size_t live_blocks;
    size_t free_bytes;
    size_t min_free_bytes;
    size_t refused;
    size_t largest_request;
{%- endif %}
} {{ n }};

{%- if tells %}

/* Heap errors. */
/* cppcheck-suppress misra-c2012-2.5 ; it is for programs */
#define {{ N }}_DOUBLE_FREE 1U /* freed or reallocated although it was free */
/* cppcheck-suppress misra-c2012-2.5 ; it is for programs */
#define {{ N }}_FOREIGN 2U     /* no block of this heap begins there */
/* cppcheck-suppress misra-c2012-2.5 ; it is for programs */
#define {{ N }}_DAMAGED 3U     /* the heap's words before, behind or in the block were overwritten, or there is no block */

/* The last heap error; 0 if there was none. */
unsigned int {{ n }}_last_error(const {{ n }} *heap);
{%- endif %}

/* What a heap holds, in bytes of payload where nothing else is said. */
struct {{ n }}_statistics {
    size_t region;         /* bytes of the region */
    size_t footprint;      /* bytes of the region up to the wilderness, now */
    size_t footprint_peak; /* the most that the footprint ever was */
{%- if "counters" in extras %}
    size_t live_blocks;     /* with the program */
    size_t free_bytes;      /* of the region, in no such block or its header. One request gets fewer: they are in pieces */
    size_t min_free_bytes;  /* the fewest that these ever were after a call */
    size_t refused;         /* requests for at least a byte that got no block */
    size_t largest_request; /* refused or not */
{%- else %}
    size_t used_blocks;    /* {{ used_means }} */
    size_t used_bytes;
    size_t free_blocks;    /* below the wilderness */
    size_t free_bytes;
    size_t largest_free;
{%- endif %}
{%- if pool.handles %}
    size_t last_moved; /* bytes moved for the last request that made blocks move, headers included */
    size_t max_moved;  /* the most that was moved for one request */
{%- endif %}
};

/* What each function takes, and what it does with a pointer that is no live block of this heap (a heap error):
 *
 *     {{ n }}_allocate, {{ n }}_allocate_aligned{% if reserves %}, {{ n }}_allocate_urgent{% endif %}{% if "calloc" in extras %}, {{ n }}_calloc{% endif %}
 *                                time: the bound above{% if "calloc" in extras %}; to clear a block, linear in its bytes{% endif %}
 *     {{ n }}_reallocate         time: in place constant or as a free, else as allocate, free and a copy
 *     {{ n }}_free               time: the bound above{% if quarantines %}; to fill a block, linear in its bytes{% endif %}
 *     {{ n }}_usable_size{% if "owns" in extras %}, {{ n }}_owns{% endif %}    time: constant
 *     {{ n }}_check{% if "walk" in extras %}, {{ n }}_walk{% endif %}        time: linear in the blocks{% if pool.family == "fixed" %}; {{ n }}_walk: times the free ones{% endif %}
 *     {{ n }}_statistics         time: {% if "counters" in extras %}constant{% else %}linear in the blocks{% endif %}
 *
{%- if tells %}
 * A heap error goes to {{ N }}_ON_ERROR, and the call is refused.
{%- if guards %} It is found in constant time where the guard's words are whole,
 * else in time linear in the blocks.
{%- if quarantines %} What was written to a freed block is found when the block leaves
 * the quarantine: that is reported, and no call is refused.
{%- endif %}
{%- else %} It is found in constant time, but for a pointer to bytes
 * that look like a block's header.
{%- endif %}
{%- else %}
 * A heap error is not found: what happens then, or later, is undefined. The option check=header of a heap finds most.
{%- endif %} */

/* Makes an empty heap of a region, which belongs to it from now on. False if the region does not begin
 * at a multiple of {{ word }} bytes, or has no room for the control words. */
bool {{ n }}_init({{ n }} *heap, void *region, size_t bytes);

/* A block of at least `size` bytes at a multiple of {{ promised }} bytes. NULL if there is no room, and for a size of 0. */
void *{{ n }}_allocate({{ n }} *heap, size_t size);

/* A block at a multiple of `alignment` bytes, a power of two; 0 and 1 mean the heap's own. */
void *{{ n }}_allocate_aligned({{ n }} *heap, size_t size, size_t alignment);

{%- if reserves %}
/* The same with high priority: it may use the reserve, which every other request leaves whole. */
void *{{ n }}_allocate_urgent({{ n }} *heap, size_t size, size_t alignment);

{% endif %}
{%- if "calloc" in extras %}
/* A block of `number` times `size` bytes, all of them 0. NULL as from {{ n }}_allocate, and for a product that no size_t
 * holds, which counts as a request for SIZE_MAX bytes. */
void *{{ n }}_calloc({{ n }} *heap, size_t number, size_t size);

{% endif %}
/* Makes a block at least `size` bytes large, in place where it can, and keeps its contents up to the
 * smaller of both sizes. `alignment` is what the block was asked for with. NULL if there is no room, and
 * for a size of 0: the block is as it was. A NULL block is allocated. */
void *{{ n }}_reallocate({{ n }} *heap, void *block, size_t size, size_t alignment);

/* Frees a block; NULL is none.
{%- if in_order %} False, and the block stays used, unless it is the last of those that are used. */
bool{% else %} */
void{% endif %} {{ n }}_free({{ n }} *heap, void *block);

/* Bytes of a block that its owner may use: at least what was asked for. */
size_t {{ n }}_usable_size(const {{ n }} *heap, const void *block);

{%- if "owns" in extras %}
/* Whether a pointer leads into the region of the heap: which of several heaps a block is of. Says nothing of whether it
 * names a block, or a live one. */
bool {{ n }}_owns(const {{ n }} *heap, const void *pointer);
{%- endif %}

{%- if "trim" in extras %}
/* Gives back what is cached, and joins the free blocks that were left apart, as a request that finds no room does: the
 * footprint becomes the least that the live blocks allow. */
void {{ n }}_trim({{ n }} *heap);
{%- endif %}

{%- if pool.handles %}
{%- include "buddy/handles.h" %}
{%- endif %}

/* Verifies every invariant: 0, or the number of the first that is broken.
{%- for line in invariants %}
 *     {{ line }}
{%- endfor %}
 * Takes time linear in the blocks. */
unsigned int {{ n }}_check(const {{ n }} *heap);

{%- if "walk" in extras %}
/* Status of a block that is visited. */
/* cppcheck-suppress misra-c2012-2.5 ; it is for visitors */
#define {{ N }}_IS_USED 0U   /* with the program, or cached: then it is visited once more, with that status */
/* cppcheck-suppress misra-c2012-2.5 ; it is for visitors */
#define {{ N }}_IS_FREE 1U
/* cppcheck-suppress misra-c2012-2.5 ; not every heap has such blocks */
#define {{ N }}_IS_CACHED 2U /* kept by the heap for itself or for later requests */

/* Is called with the payload of a block{% if guards %} with the guard's words around it{% endif %}, bytes of it, and its status, while the lock is held: it calls no function of the
 * heap. */
typedef void (*{{ n }}_visitor)(void *context, const void *block, size_t bytes, unsigned int status);

/* Visits every block below the wilderness in address order, then those that are cached. */
void {{ n }}_walk(const {{ n }} *heap, {{ n }}_visitor visit, void *context);
{%- endif %}

{%- if "counters" in extras %}
/* What the heap holds and was asked for. Takes constant time. */
{%- else %}
/* Counts what the heap holds. Takes time linear in the blocks. */
{%- endif %}
struct {{ n }}_statistics {{ n }}_statistics(const {{ n }} *heap);

#ifdef __cplusplus
}
#endif

#endif
