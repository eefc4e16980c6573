/* ---- Headers -----------------------------------------------------------------------------------
 *
{%- if pool.head == "tags" %}
 *   block-1   | words | P | 1 |          | words | P | 0 |     P: the chunk before is used
 *   block     | payload       |          | links         |
 *   end-2     |               |          | words         |     boundary tag
{%- elif pool.head == "packed" %}
 *   block-1   | left | units | - | 1 |   | left | units | - | 0 |   units of the chunk before, and its own
 *   block     | payload              |   | next  | previous     |   two links
{%- else %}
 *   block-2   | words of the chunk before |
 *   block-1   | words | - | used          |
 *   block     | payload, or links         |
{%- endif %}
 */

#define USED 1U
{%- if pool.head == "tags" %}
#define PREVIOUS_USED 2U
{%- endif %}
{%- if pool.unit > 1 or pool.powers or pool.head == "packed" or pool.lists == "rings" or (index.kind == "two_level" and pool.lists != "two-level") %}
/* Words of which all chunks are a multiple. */
#define UNIT {{ pool.unit }}U
{%- endif %}
/* Words before a payload; of the smallest chunk that holds links; of the smallest remainder that is split off. */
#define HEAD {{ pool.head_words }}U
#define MIN_BLOCK {{ pool.min }}U
#define REMAINDER {{ pool.remainder }}U
{%- if pool.min_request != pool.min %}
/* Words of the smallest chunk of a request. */
#define MIN_REQUEST {{ pool.min_request }}U
{%- endif %}
{%- if pool.head == "packed" %}
/* Where the size of the chunk before begins, and what is below it. */
#define LEFT 17U
#define OWN (((Index)1U << LEFT) - 1U)
/* Where the next link begins, and what is below it. */
#define LINK_BITS 16U
#define LINK (((Index)1U << LINK_BITS) - 1U)

static inline Index header(Index words, Index flags)
{
    return ((words / UNIT) << 2U) | flags;
}

static inline Index words_of(Index head)
{
    return ((head & OWN) >> 2U) * UNIT;
}
{%- else %}

static inline Index header(Index words, Index flags)
{
    return (words << 2U) | flags;
}

static inline Index words_of(Index head)
{
    return head >> 2U;
}
{%- endif %}

static inline bool is_used(Index head)
{
    return (head & USED) != 0U;
}

/* Words of the chunk for `size` bytes; 0 if no chunk can be so large. */
static Index words_for(const Heap *heap, size_t size)
{
    Index words;

    if ((size == 0U) || is_too_large(size)) {
        return 0U;
    }
    words = (((Index)size + (WORD - 1U)) / WORD) + HEAD;
{%- if pool.unit > 1 %}
    words = (words + (UNIT - 1U)) & ~((Index)UNIT - 1U);
{%- endif %}
{%- if pool.powers %}
    words = (words > UNIT) ? (((Index)2U << logarithm((words / UNIT) - 1U)) * UNIT) : UNIT;
{%- endif %}
{%- set min_request = "MIN_REQUEST" if pool.min_request != pool.min else "MIN_BLOCK" %}
    words = (words < {{ min_request }}) ? {{ min_request }} : words;
    return (words <= (heap->end - {{ first }})) ? words : 0U;
}

/* Changes size and status of a chunk, not what its header says of the one before. */
static void write_chunk(Heap *heap, Index block, Index words, Index used)
{
{%- if pool.head == "tags" %}
    store(heap, block - 1U, header(words, used | (load(heap, block - 1U) & PREVIOUS_USED)));
{%- elif pool.head == "packed" %}
    store(heap, block - 1U, header(words, used) | (load(heap, block - 1U) & ~OWN));
{%- else %}
    store(heap, block - 1U, header(words, used));
{%- endif %}
}
{%- if pool.head == "tags" %}

/* Notes in a chunk whether the one before it is used. */
static void tell_status(Heap *heap, Index block, Index used)
{
    const Index head = load(heap, block - 1U);

    store(heap, block - 1U, (used != 0U) ? (head | PREVIOUS_USED) : (head & ~(Index)PREVIOUS_USED));
}
{%- endif %}

/* Notes size and status of a chunk in the one behind it. */
static void tell_right(Heap *heap, Index block, Index words, Index used)
{
    const Index end = block + words;
{% if pool.head == "tags" %}
    if (used == 0U) {
        store(heap, end - 2U, words);
    }
    tell_status(heap, end, used);
{%- elif pool.head == "packed" %}
    (void)used;
    store(heap, end - 1U, (load(heap, end - 1U) & OWN) | ((words / UNIT) << LEFT));
{%- else %}
    (void)used;
    store(heap, end - 2U, words);
{%- endif %}
}

{%- if pool.joins or not pool.ends %}

/* The chunk before `block`, which is not the first, if it is free; else 0. */
static Index free_left(const Heap *heap, Index block)
{
{%- if pool.head == "tags" %}
    return ((load(heap, block - 1U) & PREVIOUS_USED) != 0U) ? 0U : (block - load(heap, block - 2U));
{%- else %}
{%- if pool.head == "packed" %}
    const Index left = block - ((load(heap, block - 1U) >> LEFT) * UNIT);
{%- else %}
    const Index left = block - load(heap, block - 2U);
{%- endif %}

    return is_used(load(heap, left - 1U)) ? 0U : left;
{%- endif %}
}
{%- endif %}
{%- if not pool.ends %}

/* Where the wilderness begins: the last chunk if it is free, else the end. */
static Index top_of(const Heap *heap)
{
    const Index left = free_left(heap, heap->end);

    return (left != 0U) ? left : heap->end;
}
{%- endif %}
{%- if index.kind == "two_level" %}

/* What lists go by: {% if pool.lists == "two-level" %}words of payload{% else %}units{% endif %}. */
static inline Index key_of(Index words)
{
    return {% if pool.lists == "two-level" %}words - 1U{% else %}words / UNIT{% endif %};
}
{%- endif %}
