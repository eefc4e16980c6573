{%- if uses_leading_zeros %}

/* Binary logarithm, rounded down, of a word that is not 0. */
#ifndef {{ N }}_COUNT_LEADING_ZEROS
#ifdef __GNUC__
#define {{ N }}_COUNT_LEADING_ZEROS(word) {{ builtin_clz }}
#else
static unsigned int count_leading_zeros(Index word)
{
    unsigned int zeros = 0U;

    for (Index bit = (Index)1U << {{ index_bits - 1 }}U; (word & bit) == 0U; bit >>= 1U) {
        zeros++;
    }
    return zeros;
}
#define {{ N }}_COUNT_LEADING_ZEROS(word) count_leading_zeros(word)
#endif
#endif

static inline Index logarithm(Index word)
{
    return {{ index_bits - 1 }}U - (Index){{ N }}_COUNT_LEADING_ZEROS(word);
}
{%- endif %}
{%- if uses_trailing_zeros %}

/* The number of the lowest bit of a word that is not 0. */
#ifndef {{ N }}_COUNT_TRAILING_ZEROS
#ifdef __GNUC__
#define {{ N }}_COUNT_TRAILING_ZEROS(word) {{ builtin_ctz }}
#else
static unsigned int count_trailing_zeros(Index word)
{
    unsigned int zeros = 0U;

    while (((word >> zeros) & 1U) == 0U) {
        zeros++;
    }
    return zeros;
}
#define {{ N }}_COUNT_TRAILING_ZEROS(word) count_trailing_zeros(word)
#endif
#endif

static inline Index lowest_bit(Index word)
{
    return (Index){{ N }}_COUNT_TRAILING_ZEROS(word);
}
{%- endif %}
