#define USED 1U
{%- if pool.family != "buddy" %}
#define PREVIOUS_USED 2U
{%- endif %}

static inline Index header(Index words, Index flags)
{
    return (words << 2U) | flags;
}

static inline Index words_of(Index head)
{
    return head >> 2U;
}

static inline bool is_used(Index head)
{
    return (head & USED) != 0U;
}

