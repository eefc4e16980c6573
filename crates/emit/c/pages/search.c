
/* ---- Bitmaps: a bit is 1 while its object is free; object 0 is the lowest bit ------------------- */

static inline bool bit_is_set(const Heap *heap, Index map, Index bit)
{
    return ((load(heap, map + (bit / BITS)) >> (bit % BITS)) & 1U) != 0U;
}

/* Sets the first `count` bits from word `map` on, and clears the rest of the last word. */
static void fill_bits(Heap *heap, Index map, Index count)
{
    for (Index done = 0U; done < count; done += BITS) {
        const Index left = count - done;

        fill(heap, map + (done / BITS), (left < BITS) ? (((Index)1U << left) - 1U) : ~(Index)0U);
    }
}
{%- if pool.search == "tree" %}

/* More levels than any page has. */
#define LEVELS 6U

/* The first word of every level of the tree over a bitmap, from the bits up; returns how many there are. */
static Index levels_of(Index map, Index objects, Index starts[LEVELS])
{
    Index words = (objects + (BITS - 1U)) / BITS;
    Index count = 1U;

    starts[0] = map;
    while ((words > 1U) && (count < LEVELS)) {
        starts[count] = starts[count - 1U] + words;
        words = (words + (BITS - 1U)) / BITS;
        count++;
    }
    return count;
}

/* Makes all objects free. */
static void fill_map(Heap *heap, Index map, Index objects)
{
    Index starts[LEVELS];
    const Index count = levels_of(map, objects, starts);
    Index bits = objects;

    for (Index level = 0U; level < count; level++) {
        fill_bits(heap, starts[level], bits);
        bits = (bits + (BITS - 1U)) / BITS;
    }
}

/* Takes the lowest free object; there is one. */
static Index take_object(Heap *heap, Index map, Index objects)
{
    Index starts[LEVELS];
    const Index count = levels_of(map, objects, starts);
    Index object = 0U;
    Index bit;

    for (Index level = count; level > 0U; level--) {
        object = (object * BITS) + lowest_bit(load(heap, starts[level - 1U] + object));
    }
    bit = object;
    for (Index level = 0U; level < count; level++) {
        const Index at = starts[level] + (bit / BITS);
        const Index remainder = load(heap, at) & ~((Index)1U << (bit % BITS));

        store(heap, at, remainder);
        if (remainder != 0U) {
            break;
        }
        bit /= BITS;
    }
    return object;
}

/* Makes an object free. */
static void put_object(Heap *heap, Index map, Index objects, Index object)
{
    Index starts[LEVELS];
    const Index count = levels_of(map, objects, starts);
    Index bit = object;

    for (Index level = 0U; level < count; level++) {
        const Index at = starts[level] + (bit / BITS);
        const Index word = load(heap, at);

        store(heap, at, word | ((Index)1U << (bit % BITS)));
        if (word != 0U) {
            break;
        }
        bit /= BITS;
    }
}

/* Whether the tree over a bitmap agrees with it. */
static bool map_agrees(const Heap *heap, Index map, Index objects)
{
    Index starts[LEVELS];
    const Index count = levels_of(map, objects, starts);
    Index words = (objects + (BITS - 1U)) / BITS;

    for (Index level = 1U; level < count; level++) {
        for (Index word = 0U; word < words; word++) {
            if (bit_is_set(heap, starts[level], word) != (load(heap, starts[level - 1U] + word) != 0U)) {
                return false;
            }
        }
        words = (words + (BITS - 1U)) / BITS;
    }
    return true;
}
{%- elif pool.search == "hardware" %}

{% include "pages/unit.c" %}
{%- else %}

/* Takes the lowest free object; there is one. */
static Index take_object(Heap *heap, Index map)
{
    Index at = map;
    Index word = load(heap, at);
    Index bit;

    while (word == 0U) {
        at++;
        word = load(heap, at);
    }
{%- if pool.search == "word" %}
    bit = lowest_bit(word);
{%- else %}
    bit = 0U;
    while (((word >> bit) & 1U) == 0U) {
        bit++;
    }
{%- endif %}
    store(heap, at, word & ~((Index)1U << bit));
    return ((at - map) * BITS) + bit;
}

/* Makes an object free. */
static void put_object(Heap *heap, Index map, Index object)
{
    const Index at = map + (object / BITS);

    store(heap, at, load(heap, at) | ((Index)1U << (object % BITS)));
}
{%- endif %}
