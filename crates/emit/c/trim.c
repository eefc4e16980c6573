
/* ---- Trimming ---------------------------------------------------------------------------------- */

/* Gives back what is cached, and joins what was left apart. */
static void trim(Heap *heap)
{
{%- if keeps_spans %}
    (void)spans_flush(heap);
{%- endif %}
{%- if quarantines %}
    (void)guard_flush(heap);
{%- endif %}
{%- if free_lists %}
    while (freelists_flush(heap)) {
        /* A flush may be bounded. */
    }
{%- endif %}
{%- if pool.family == "blocks" and pool.apart %}
    if (heap->touching) {
        sweep(heap);
    }
{%- elif pool.family == "buddy" and pool.estranged %}
    (void)glue(heap, NO_ORDER);
{%- if not pool.one_block %}
    set_top(heap, retreat(heap, load(heap, TOP), ~(Index)0U));
{%- endif %}
{%- elif pool.family == "pages" %}
    (void)move_back(heap);
{%- if pool.retain %}
    (void)release_last(heap);
{%- endif %}
{%- elif not free_lists and not quarantines and not keeps_spans %}
    (void)heap; /* nothing is cached, and nothing was left apart */
{%- endif %}
}
