
/* ---- The block format -------------------------------------------------------------------------
 *
 * A block is named by the index of its payload's first word; its header is the word before:
 *
 *              used                        free
 *   at-1   | words | P | 1 |          | words | P | 0 |     header
 *   at     | payload       |          | {{ "what it was  " if index.kind == "implicit" else "links        " }} |
{%- if pool.tags %}
 *   end-2  |               |          | words         |     boundary tag
{%- endif %}
 *   end-1    the header of the block that follows
 *
 * `words` is the size of the block in words, header included. P says that the block before is used
{%- if pool.tags %}.
{%- else %};
 * without boundary tags nobody keeps it true.
{%- endif %}
 * The wilderness, never-used memory, begins with a header of size 0, marked used: it ends every walk.
 */

{% include "header.c" %}
{%- if marks %}
/* The status bit of a used block that is cached: the highest of a word, which no size reaches. */
#define CACHED ((Index)1U << ((WORD * 8U) - 1U))

/* Words of a block that may be cached. */
static inline Index size_of(Index head)
{
    return words_of(head & ~CACHED);
}

{% endif %}
/* Words that every block is a multiple of, and words of the smallest block. */
#define GRANULE {{ pool.granule }}U
#define MIN_BLOCK {{ pool.min }}U
{%- if pool.split_from %}
/* Bytes of the smallest request that splits its block. */
#define SPLIT_FROM {{ pool.split_from }}
{%- endif %}
{%- if pool.splits and pool.remainder %}
/* Words of the smallest remainder that is split off. */
#define REMAINDER {{ pool.remainder }}
{%- endif %}
{%- if pool.coalesce_from %}
/* Words of the smallest block that is joined to its free neighbours when it is freed. */
#define COALESCE_FROM {{ pool.coalesce_from }}
{%- endif %}

/* Words of the block that serves a request of `size` bytes; 0 if no block can. */
{{ in_place }} Index words_for(size_t size)
{
    Index words;

    if ((size == 0U) || is_too_large(size)) {
        return 0U;
    }
    words = (((Index)size + (WORD - 1U)) / WORD) + 1U;
{%- if pool.granule > 1 %}
    words = (words + (GRANULE - 1U)) & ~((Index)GRANULE - 1U);
{%- endif %}
    return (words < MIN_BLOCK) ? MIN_BLOCK : words;
}
