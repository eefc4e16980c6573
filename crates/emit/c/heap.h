/* {{ name }}: a memory allocator, emitted by heapsmith {{ version }}.
 *
{%- for line in spec_lines %}
 *     {{ line }}
{%- endfor %}
 *
{%- if figures %}
 * Measured on {{ figures.traces }}:
{%- for line in figures.lines %}
 *     {{ line }}
{%- endfor %}
{%- else %}
 * Not measured: no trace was named when it was emitted.
{%- endif %}
 *
 * Bounds:
{%- for line in promise.lines %}
 *     {{ line }}
{%- endfor %}
{%- if promise.legend %}
 *     with M the most bytes in live blocks at once, headers included, B the most live blocks, n the
 *     largest block, all in units of the smallest.
{%- endif %}
 *
 * The region holds all that the heap is: control words{% if index.by_region %}, more for a longer region{% else %} of {{ control_bytes }} bytes{% endif %}, then the blocks. Words are of
 * {{ word }} bytes, payloads multiples of {{ alignment }} bytes, a region at most {{ max_bytes }} bytes. Needs no C library and is
 * not thread-safe unless {{ N }}_LOCK and {{ N }}_UNLOCK say how to wait.
 *
 * Precondition: what is put into a block of {{ n }}_allocate is aligned to at most {{ alignment }} bytes. For each of your
 * types, {{ N }}_ASSERT_ALIGNED(type); refuses to compile where that is not so.
 *
 * These may be defined when {{ name }}.c is compiled; each does nothing by default:
 *     {{ N }}_ASSERT(condition)            what must hold
 *     {{ N }}_LOCK(heap), {{ N }}_UNLOCK(heap)
 *     {{ N }}_TRACE(heap, what, block, size)   what: 'a' allocate, 'r' reallocate, 'f' free
{%- if checked %}
 *     {{ N }}_ON_ERROR(heap, error, block)     what happens on a heap error of which {{ N }}_DOUBLE_FREE and the others tell;
 *                                          by default the program stops. Where it returns, the operation is refused
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
    static_assert(alignof(held) <= {{ alignment }}U, "the type is aligned to more than {{ alignment }} bytes")
extern "C" {
#else
/* cppcheck-suppress misra-c2012-2.5 ; it is for the types of users */
#define {{ N }}_ASSERT_ALIGNED(held) \
    _Static_assert(_Alignof(held) <= {{ alignment }}U, "the type is aligned to more than {{ alignment }} bytes")
#endif

/* A heap. Its fields are private; it may be in any memory, but not in its region. */
typedef struct {{ n }} {
    {{ word_type }} *words; /* the region */
{%- if checked %}
    unsigned int last_error; /* the last heap error, or 0 */
{%- endif %}
    {{ index_type }} length; /* words of the region */
{%- for field in fields %}
    {{ field.type }} {{ field.name }}; /* {{ field.what }} */
{%- endfor %}
} {{ n }};

{%- if checked %}

/* Heap errors. */
#define {{ N }}_DOUBLE_FREE 1U /* freed or reallocated although it was free */
#define {{ N }}_FOREIGN 2U     /* no block of this heap begins there */
#define {{ N }}_DAMAGED 3U     /* the heap's words before, behind or in the block were overwritten, or there is no block */

/* The last heap error; 0 if there was none. */
unsigned int {{ n }}_last_error(const {{ n }} *heap);
{%- endif %}

/* What a heap holds, in bytes of payload where nothing else is said. */
struct {{ n }}_statistics {
    size_t region;         /* bytes of the region */
    size_t footprint;      /* bytes of the region up to the wilderness, now */
    size_t footprint_peak; /* the most that the footprint ever was */
    size_t used_blocks;    /* {{ used_means }} */
    size_t used_bytes;
    size_t free_blocks;    /* below the wilderness */
    size_t free_bytes;
    size_t largest_free;
{%- if pool.handles %}
    size_t last_moved; /* bytes moved for the last request that made blocks move, headers included */
    size_t max_moved;  /* the most that was moved for one request */
{%- endif %}
};

/* Makes an empty heap of a region, which belongs to it from now on. False if the region does not begin
 * at a multiple of {{ word }} bytes, or has no room for the control words and a block. */
bool {{ n }}_init({{ n }} *heap, void *region, size_t bytes);

/* A block of at least `size` bytes at a multiple of {{ alignment }} bytes. NULL if there is no room, and for a size of 0. */
void *{{ n }}_allocate({{ n }} *heap, size_t size);

/* A block at a multiple of `alignment` bytes, a power of two; 0 and 1 mean the heap's own. */
void *{{ n }}_allocate_aligned({{ n }} *heap, size_t size, size_t alignment);

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

{%- if pool.handles %}
{%- include "buddy/handles.h" %}
{%- endif %}

/* Verifies every invariant: 0, or the number of the first that is broken.
{%- for line in invariants %}
 *     {{ line }}
{%- endfor %}
 * Takes time linear in the blocks. */
unsigned int {{ n }}_check(const {{ n }} *heap);

/* Counts what the heap holds. Takes time linear in the blocks. */
struct {{ n }}_statistics {{ n }}_statistics(const {{ n }} *heap);

#ifdef __cplusplus
}
#endif

#endif
