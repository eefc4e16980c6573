{%- if uses_leading_zeros %}

/* Binary logarithm, rounded down, of a word that is not 0. The compiler's own scan is of an int, a long or a long long:
 * the one that has as many bits as the word. */
#ifndef {{ N }}_COUNT_LEADING_ZEROS
{%- if index_bits == 64 %}
#if defined(__GNUC__) && (ULLONG_MAX == UINT64_MAX)
#define {{ N }}_COUNT_LEADING_ZEROS(word) __builtin_clzll(word)
{%- else %}
#if defined(__GNUC__) && (UINT_MAX == UINT32_MAX)
#define {{ N }}_COUNT_LEADING_ZEROS(word) __builtin_clz(word)
#elif defined(__GNUC__) && (ULONG_MAX == UINT32_MAX)
#define {{ N }}_COUNT_LEADING_ZEROS(word) __builtin_clzl(word)
{%- endif %}
#else
static unsigned int count_leading_zeros(Index word)
{
    Index left = word;
    unsigned int zeros = 0U;

    for (unsigned int step = {{ index_bits // 2 }}U; step > 0U; step /= 2U) {
        const unsigned int others = {{ index_bits }}U - step;

        if ((left >> others) == 0U) {
            zeros += step;
            left <<= step;
        }
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

/* The number of the lowest bit of a word that is not 0, by the compiler's scan of a type that holds the word. */
#ifndef {{ N }}_COUNT_TRAILING_ZEROS
{%- if index_bits == 64 %}
#if defined(__GNUC__) && (ULLONG_MAX == UINT64_MAX)
#define {{ N }}_COUNT_TRAILING_ZEROS(word) __builtin_ctzll(word)
{%- else %}
#if defined(__GNUC__) && (UINT_MAX == UINT32_MAX)
#define {{ N }}_COUNT_TRAILING_ZEROS(word) __builtin_ctz(word)
#elif defined(__GNUC__) && (ULONG_MAX == UINT32_MAX)
#define {{ N }}_COUNT_TRAILING_ZEROS(word) __builtin_ctzl(word)
{%- endif %}
#else
static unsigned int count_trailing_zeros(Index word)
{
    Index left = word;
    unsigned int zeros = 0U;

    for (unsigned int step = {{ index_bits // 2 }}U; step > 0U; step /= 2U) {
        if ((left & (((Index)1U << step) - 1U)) == 0U) {
            zeros += step;
            left >>= step;
        }
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
