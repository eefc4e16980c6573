{%- macro out_of_memory(is_refused) %}
{%- if "out-of-memory" in extras %}
    if ({{ is_refused }}) {
        {{ N }}_OUT_OF_MEMORY(heap, size);
    }
{%- endif %}
{%- endmacro -%}
/* {{ name }}: see {{ name }}.h.
 *
{%- for line in spec_lines %}
 *     {{ line }}
{%- endfor %}
 *
 * The heap of a region is in {{ part }}.c; here is which region serves what.
 *
 * Of MISRA C:2012 the advisory rule 15.5 is not kept: functions return where they are done. Other
 * deviations are noted in place, with their reason.
 */
#include "{{ name }}.h"

#ifndef {{ N }}_LOCK
#define {{ N }}_LOCK(heap) ((void)0)
#define {{ N }}_UNLOCK(heap) ((void)0)
#endif
#ifndef {{ N }}_TRACE
#define {{ N }}_TRACE(heap, what, old, block, size, alignment) ((void)0)
#endif
{%- if "out-of-memory" in extras %}
#ifndef {{ N }}_OUT_OF_MEMORY
#define {{ N }}_OUT_OF_MEMORY(heap, size) ((void)0)
#endif
{%- endif %}

/* Loops that copy write through IN_LOOP: no compiler then makes a call of memcpy of them, which a program without a C library
 * could not link. Under an operating system it may. */
#if defined(__unix__) || defined(__APPLE__) || defined(_WIN32)
#define IN_LOOP
#else
#define IN_LOOP volatile
#endif

typedef {{ n }} Heap;

/* The number of regions, and of none. */
#define COUNT {{ N }}_REGIONS
#define NONE COUNT

/* The address of a byte: regions are distinguished by addresses, which are never made pointers again. */
static inline uintptr_t address_of(const void *byte)
{
    /* cppcheck-suppress misra-c2012-11.6 ; an address is a number here */
    return (uintptr_t)byte;
}

/* The region of a block: that with the highest base which is not above it. What lies below all of them goes to the lowest, whose
 * heap knows that it is none of its own, if it looks. */
static unsigned int region_of(const Heap *heap, const void *block)
{
    unsigned int found = 0U;

    for (unsigned int number = 1U; number < COUNT; number++) {
        const uintptr_t base = address_of(heap->bases[number]);
        const bool is_below = base <= address_of(block);
        const bool found_is_below = address_of(heap->bases[found]) <= address_of(block);

        if (is_below == found_is_below) {
            if ((base > address_of(heap->bases[found])) == is_below) {
                found = number;
            }
        } else if (is_below) {
            found = number;
        } else {
            /* What was found is below the block, and this is not. */
        }
    }
    return found;
}
{%- if tells %}

/* Takes over the last heap error of a region. Whether there was one. */
static bool note_error(Heap *heap, unsigned int number)
{
    const unsigned int error = heap->regions[number].last_error;

    if (error != 0U) {
        heap->last_error = error;
        heap->regions[number].last_error = 0U;
    }
    return error != 0U;
}
{%- endif %}

/* A block for a request, in its order of regions, of which one may be left out. */
static void *allocate_but(Heap *heap, unsigned int without, size_t size, size_t alignment{% if reserves %}, bool is_urgent{% endif %})
{
    /* Bytes of the largest request that begins in each region. */
    static const size_t up_to[COUNT] = { {% for region in regions %}{{ region.limit }}{% if not loop.last %}, {% endif %}{% endfor %} };

    for (unsigned int skipped = 0U; skipped < 2U; skipped++) {
        for (unsigned int number = 0U; number < COUNT; number++) {
            if (((size > up_to[number]) == (skipped == 1U)) && (number != without)) {
                {{ part }} *const region = &heap->regions[number];
{%- if reserves %}
                void *const block = is_urgent         ? {{ part }}_allocate_urgent(region, size, alignment)
                                    : (alignment < 2U) ? {{ part }}_allocate(region, size)
                                                       : {{ part }}_allocate_aligned(region, size, alignment);
{%- else %}
                void *const block = (alignment < 2U) ? {{ part }}_allocate(region, size)
                                                     : {{ part }}_allocate_aligned(region, size, alignment);
{%- endif %}
{%- if tells %}

                (void)note_error(heap, number);
{%- endif %}

                if (block != NULL) {
                    return block;
                }
            }
        }
    }
    return NULL;
}

/* Moves a block to another region than `number`, in which it lies; NULL, and it stays, if none has room
{%- if tells %} or it cannot be
 * freed, which is an error{% endif %}. */
static void *move_block(Heap *heap, unsigned int number, void *block, size_t size, size_t alignment{% if tells %}, bool *is_error{% endif %})
{
    {{ part }} *const region = &heap->regions[number];
    void *{% if not tells %}const {% endif %}moved = allocate_but(heap, number, size, alignment{% if reserves %}, false{% endif %});

    if (moved != NULL) {
        const size_t usable = {{ part }}_usable_size(region, block);
        const size_t bytes = (usable < size) ? usable : size;
        /* cppcheck-suppress misra-c2012-11.5 ; bytes may be written at any address */
        IN_LOOP unsigned char *const target = (unsigned char *)moved;
        /* cppcheck-suppress misra-c2012-11.5 ; and read */
        const IN_LOOP unsigned char *const source = (const unsigned char *)block;

        for (size_t at = 0U; at < bytes; at++) {
            target[at] = source[at];
        }
        {{ part }}_free(region, block);
{%- if tells %}
        *is_error = note_error(heap, number);
        if (*is_error) {
            {{ part }}_free(&heap->regions[region_of(heap, moved)], moved);
            moved = NULL;
        }
{%- endif %}
    }
    return moved;
}

bool {{ n }}_init({{ n }} *heap{% for region in regions %}, void *{{ region.name }}_base, size_t {{ region.name }}_bytes{% endfor %})
{
    bool is_made = true;
{% for region in regions %}
    /* cppcheck-suppress misra-c2012-11.5 ; a region is bytes, of which the first is remembered */
    heap->bases[{{ N }}_IN_{{ region.upper }}] = (const unsigned char *){{ region.name }}_base;
    is_made = {{ part }}_init(&heap->regions[{{ N }}_IN_{{ region.upper }}], {{ region.name }}_base, {{ region.name }}_bytes) && is_made;
{%- endfor %}
{%- if tells %}
    heap->last_error = 0U;
{%- endif %}
    return is_made;
}

void *{{ n }}_allocate({{ n }} *heap, size_t size)
{
    return {{ n }}_allocate_aligned(heap, size, 0U);
}

void *{{ n }}_allocate_aligned({{ n }} *heap, size_t size, size_t alignment)
{
    void *block;

    {{ N }}_LOCK(heap);
    block = allocate_but(heap, NONE, size, alignment{% if reserves %}, false{% endif %});
    {{ N }}_TRACE(heap, 'a', NULL, block, size, alignment);
    {{ N }}_UNLOCK(heap);
{{- out_of_memory("(block == NULL) && (size > 0U)") }}
    return block;
}

{%- if reserves %}

void *{{ n }}_allocate_urgent({{ n }} *heap, size_t size, size_t alignment)
{
    void *block;

    {{ N }}_LOCK(heap);
    block = allocate_but(heap, NONE, size, alignment, true);
    {{ N }}_TRACE(heap, 'a', NULL, block, size, alignment);
    {{ N }}_UNLOCK(heap);
{{- out_of_memory("(block == NULL) && (size > 0U)") }}
    return block;
}
{%- endif %}
{%- if "calloc" in extras %}

void *{{ n }}_calloc({{ n }} *heap, size_t number, size_t size)
{
    const bool fits = (number == 0U) || (size <= (SIZE_MAX / number));
    const size_t bytes = fits ? (number * size) : SIZE_MAX;
    void *const block = {{ n }}_allocate_aligned(heap, bytes, 0U);
    /* cppcheck-suppress misra-c2012-11.5 ; bytes may be written at any address */
    IN_LOOP unsigned char *const contents = (unsigned char *)block;

    for (size_t at = 0U; (block != NULL) && (at < bytes); at++) {
        contents[at] = 0U;
    }
    return block;
}
{%- endif %}

void *{{ n }}_reallocate({{ n }} *heap, void *block, size_t size, size_t alignment)
{
    void *moved;
    unsigned int number;
{%- if tells %}
    bool is_error;
{%- endif %}

    if (block == NULL) {
        return {{ n }}_allocate_aligned(heap, size, alignment);
    }
    {{ N }}_LOCK(heap);
    number = region_of(heap, block);
    moved = {{ part }}_reallocate(&heap->regions[number], block, size, alignment);
{%- if tells %}
    is_error = note_error(heap, number);
    if ((moved == NULL) && !is_error) {
{%- else %}
    if (moved == NULL) {
{%- endif %}
        moved = move_block(heap, number, block, size, alignment{% if tells %}, &is_error{% endif %});
    }
    {{ N }}_TRACE(heap, 'r', block, moved, size, alignment);
    {{ N }}_UNLOCK(heap);
{{- out_of_memory("(moved == NULL) && !is_error && (size > 0U)" if tells else "(moved == NULL) && (size > 0U)") }}
    return moved;
}

void {{ n }}_free({{ n }} *heap, void *block)
{
    if (block != NULL) {
        unsigned int number;

        {{ N }}_LOCK(heap);
        {{ N }}_TRACE(heap, 'f', block, NULL, 0U, 0U);
        number = region_of(heap, block);
        {{ part }}_free(&heap->regions[number], block);
{%- if tells %}
        (void)note_error(heap, number);
{%- endif %}
        {{ N }}_UNLOCK(heap);
    }
}

size_t {{ n }}_usable_size(const {{ n }} *heap, const void *block)
{
    size_t bytes;

    {{ N }}_LOCK(heap);
    bytes = {{ part }}_usable_size(&heap->regions[region_of(heap, block)], block);
    {{ N }}_UNLOCK(heap);
    return bytes;
}

unsigned int {{ n }}_region_of(const {{ n }} *heap, const void *block)
{
    return region_of(heap, block);
}

{%- if "owns" in extras %}

bool {{ n }}_owns(const {{ n }} *heap, const void *pointer)
{
    return {{ part }}_owns(&heap->regions[region_of(heap, pointer)], pointer);
}
{%- endif %}
{%- if "trim" in extras %}

void {{ n }}_trim({{ n }} *heap)
{
    {{ N }}_LOCK(heap);
    for (unsigned int number = 0U; number < COUNT; number++) {
        {{ part }}_trim(&heap->regions[number]);
    }
    {{ N }}_UNLOCK(heap);
}
{%- endif %}
{%- if tells %}

unsigned int {{ n }}_last_error(const {{ n }} *heap)
{
    return heap->last_error;
}
{%- endif %}

unsigned int {{ n }}_check(const {{ n }} *heap)
{
    unsigned int broken = 0U;

    {{ N }}_LOCK(heap);
    for (unsigned int number = 0U; (number < COUNT) && (broken == 0U); number++) {
        broken = {{ part }}_check(&heap->regions[number]);
    }
    {{ N }}_UNLOCK(heap);
    return broken;
}

{%- if "walk" in extras %}

/* Who visits blocks, of those that are cached or of the others. */
typedef struct {
    {{ part }}_visitor visit;
    void *context;
    bool of_cached;
} Visit;

static void visit_some(void *context, const void *block, size_t bytes, unsigned int status)
{
    /* cppcheck-suppress misra-c2012-11.5 ; what this function is called with is a visit */
    const Visit *const who = (const Visit *)context;

    if ((status == {{ PART }}_IS_CACHED) == who->of_cached) {
        who->visit(who->context, block, bytes, status);
    }
}

/* Visits the regions by address. */
static void visit_regions(const Heap *heap, Visit *who)
{
    uintptr_t lowest = 0U;

    for (unsigned int visited = 0U; visited < COUNT; visited++) {
        unsigned int next = NONE;

        for (unsigned int number = 0U; number < COUNT; number++) {
            const uintptr_t base = address_of(heap->bases[number]);

            if ((base >= lowest) && ((next == NONE) || (base < address_of(heap->bases[next])))) {
                next = number;
            }
        }
        {{ part }}_walk(&heap->regions[next], visit_some, who);
        lowest = address_of(heap->bases[next]) + 1U;
    }
}

void {{ n }}_walk(const {{ n }} *heap, {{ part }}_visitor visit, void *context)
{
    Visit who;

    who.visit = visit;
    who.context = context;
    {{ N }}_LOCK(heap);
    who.of_cached = false;
    visit_regions(heap, &who);
    who.of_cached = true;
    visit_regions(heap, &who);
    {{ N }}_UNLOCK(heap);
}
{%- endif %}

struct {{ n }}_statistics {{ n }}_statistics(const {{ n }} *heap)
{
    struct {{ n }}_statistics counts;

    counts.region = 0U;
    counts.footprint = 0U;
    counts.footprint_peak = 0U;
    {{ N }}_LOCK(heap);
    for (unsigned int number = 0U; number < COUNT; number++) {
        const struct {{ part }}_statistics of_one = {{ part }}_statistics(&heap->regions[number]);

        counts.region += of_one.region;
        counts.footprint += of_one.footprint;
        counts.footprint_peak += of_one.footprint_peak;
    }
    {{ N }}_UNLOCK(heap);
    return counts;
}

struct {{ part }}_statistics {{ n }}_statistics_of(const {{ n }} *heap, unsigned int region)
{
    struct {{ part }}_statistics counts;

    {{ N }}_LOCK(heap);
    counts = {{ part }}_statistics(&heap->regions[region]);
    {{ N }}_UNLOCK(heap);
    return counts;
}
