/* {{ name }}: a memory allocator for several regions, emitted by heapsmith {{ version }}.
{% include "promise.txt" %} *
 * Each region has a heap of its own, of {{ part }}.h. A request goes to the first region of these that takes its size, to the
 * next that does where that one refuses, then to those that its size skipped; it is refused where all refuse:
{%- for region in regions %}
 *     {{ region.name }}: explored with {{ region.size }} bytes{% if region.up_to %}, takes requests of up to {{ region.up_to }} bytes{% endif %}, {{ region.cost }} {% if region.cost == 1 %}cycle{% else %}cycles{% endif %} an access
{%- endfor %}
 * A block is freed and resized in the region that it lies in; where that cannot make it larger, it moves to another.
 *
 * Payloads are multiples of {{ promised }} bytes. Needs no C library and is not thread-safe unless {{ N }}_LOCK and {{ N }}_UNLOCK say how
 * to wait; those of {{ part }}.h stay empty.
 *
 * These may be defined when {{ name }}.c is compiled; each does nothing by default:
 *     {{ N }}_LOCK(heap), {{ N }}_UNLOCK(heap)   one thread at a time; every function but {{ n }}_init takes the lock, once. The
 *                                          first may declare a variable that the second reads
 *     {{ N }}_TRACE(heap, what, old, block, size, alignment)   a call, while the lock is held, as in {{ part }}.h
{%- if "out-of-memory" in extras %}
 *     {{ N }}_OUT_OF_MEMORY(heap, size)    a request for `size` bytes was refused by all regions, not for 0. The lock is free
{%- endif %}
{%- if tells %}
 * What happens on a heap error says {{ PART }}_ON_ERROR of {{ part }}.h, when {{ part }}.c is compiled.
{%- endif %}
 */
#ifndef {{ N }}_H
#define {{ N }}_H

#include "{{ part }}.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The regions, in their order. */
{%- for region in regions %}
#define {{ N }}_IN_{{ region.upper }} {{ loop.index0 }}U
{%- endfor %}
#define {{ N }}_REGIONS {{ regions | length }}U

/* A heap. Its fields are private; it may be in any memory, but not in its regions. */
typedef struct {{ n }} {
    {{ part }} regions[{{ N }}_REGIONS];
    const unsigned char *bases[{{ N }}_REGIONS]; /* the first byte of each region */
{%- if tells %}
    unsigned int last_error; /* the last heap error, or 0 */
{%- endif %}
} {{ n }};

/* What each function takes, and what it does with a pointer that is no live block, is said in {{ part }}.h: an allocation takes
 * the time of the regions that refuse and of the one that serves, a free that of its region. */

/* Makes an empty heap of these regions, in any order of addresses, which belong to it from now on. False if one of them does
 * not begin at a multiple of {{ word }} bytes, or has no room for its control words. */
bool {{ n }}_init({{ n }} *heap{% for region in regions %}, void *{{ region.name }}_base, size_t {{ region.name }}_bytes{% endfor %});

/* A block of at least `size` bytes at a multiple of {{ promised }} bytes. NULL if no region has room, and for a size of 0. */
void *{{ n }}_allocate({{ n }} *heap, size_t size);

/* A block at a multiple of `alignment` bytes, a power of two; 0 and 1 mean the heap's own. */
void *{{ n }}_allocate_aligned({{ n }} *heap, size_t size, size_t alignment);

{%- if reserves %}
/* The same with high priority: it may use the reserve of each region, which every other request leaves whole. */
void *{{ n }}_allocate_urgent({{ n }} *heap, size_t size, size_t alignment);

{% endif %}
{%- if "calloc" in extras %}
/* A block of `number` times `size` bytes, all of them 0. NULL as from {{ n }}_allocate, and for a product that no size_t
 * holds, which counts as a request for SIZE_MAX bytes. */
void *{{ n }}_calloc({{ n }} *heap, size_t number, size_t size);

{% endif %}
/* Makes a block at least `size` bytes large, in its region where it can, else in another, and keeps its contents up to the
 * smaller of both sizes. `alignment` is what the block was asked for with. NULL if no region has room, and for a size of 0: the
 * block is as it was. A NULL block is allocated. */
void *{{ n }}_reallocate({{ n }} *heap, void *block, size_t size, size_t alignment);

/* Frees a block; NULL is none. */
void {{ n }}_free({{ n }} *heap, void *block);

/* Bytes of a block that its owner may use: at least what was asked for. */
size_t {{ n }}_usable_size(const {{ n }} *heap, const void *block);

/* Which region a block lies in: {% for region in regions %}{{ N }}_IN_{{ region.upper }}{% if not loop.last %}, {% endif %}{% endfor %}. Says nothing of whether it is a block. */
unsigned int {{ n }}_region_of(const {{ n }} *heap, const void *block);

{%- if "owns" in extras %}
/* Whether a pointer leads into a region of the heap. Says nothing of whether it names a block, or a live one. */
bool {{ n }}_owns(const {{ n }} *heap, const void *pointer);
{%- endif %}

{%- if "trim" in extras %}
/* Gives back in every region what is cached, and joins the free blocks that were left apart. */
void {{ n }}_trim({{ n }} *heap);
{%- endif %}

{%- if tells %}
/* The last heap error, of those of {{ part }}.h; 0 if there was none. */
unsigned int {{ n }}_last_error(const {{ n }} *heap);
{%- endif %}

/* Verifies every invariant of each region: 0, or the number in {{ part }}.h of the first that is broken. */
unsigned int {{ n }}_check(const {{ n }} *heap);

{%- if "walk" in extras %}
/* Visits every block of all regions below their wildernesses in address order, then those that are cached; as in {{ part }}.h. */
void {{ n }}_walk(const {{ n }} *heap, {{ part }}_visitor visit, void *context);
{%- endif %}

/* What the regions hold together. */
struct {{ n }}_statistics {
    size_t region;         /* bytes of all regions */
    size_t footprint;      /* bytes of the regions up to their wildernesses, now */
    size_t footprint_peak; /* the sum of the most that these ever were of each */
};

/* Counts what the regions hold. Takes time linear in the blocks. */
struct {{ n }}_statistics {{ n }}_statistics(const {{ n }} *heap);

/* The same of one region, of those that {{ n }}_region_of knows: what is counted says {{ part }}.h. */
struct {{ part }}_statistics {{ n }}_statistics_of(const {{ n }} *heap, unsigned int region);

#ifdef __cplusplus
}
#endif

#endif
