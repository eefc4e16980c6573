
/* ---- The pool: chunks --------------------------------------------------------------------------
 *
 *   | control | H | payload | H | payload | H | free, the wilderness | 0 |
 *                                                                     ^ END: a header of size 0
 *
 * The region begins as one free chunk, and the last free one is chosen like any other. A header says
 * how long the chunk before is, so that a freed chunk finds both of its neighbours.
{%- if not pool.joins %}
 * They are not joined.
{%- endif %}
 */

{% include "chunks/layout.c" %}
{%- if index.kind == "two_level" %}
{% include "index/chain.c" %}
{% include "index/two_level.c" %}
{%- endif %}
{% include "chunks/lists.c" %}
{% include "chunks/heap.c" %}
{% include "chunks/check.c" %}
