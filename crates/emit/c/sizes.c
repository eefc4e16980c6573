
/* Words of the blocks that a {{ map.what }} {{ map.verb }}. */
static Index {{ map.name }}_words(Index list)
{
{%- if map.rows | length == 1 %}
    (void)list;
    return {{ map.rows[0].high }}U;
{%- else %}
    static const {{ map.entry }} words[{{ map.none_name }}] = {
{%- for line in map.rows | map(attribute="high") | batch(16) %}
        {{ line | join("U, ") }}U,
{%- endfor %}
    };

    return words[list];
{%- endif %}
}

/* The {{ map.what }} that serves blocks of `words` words{% if map.total %}, which are no more than those of the largest{% else %}; {{ map.none_name }} if none does{% endif %}. */
{%- if map.form == "few" %}
static Index {{ map.name }}_of(Index words)
{
{%- if map.total and map.rows | length == 1 %}
    (void)words;
{%- endif %}
{%- for row in (map.rows[:-1] if map.total else map.rows) %}
    if ({% if row.low == row.high %}words == {{ row.low }}U{% elif row.low == 0 or not map.has_gaps %}words <= {{ row.high }}U{% else %}(words >= {{ row.low }}U) && (words <= {{ row.high }}U){% endif %}) {
        return {{ loop.index0 }}U;
    }
{%- endfor %}
    return {{ map.none_name }}{% if map.total %} - 1U{% endif %};
}
{%- else %}
static Index {{ map.name }}_of(Index words)
{
{%- if map.form == "direct" %}
    static const {{ map.entry }} list_of[{{ map.table | length }}] = {
{%- for line in map.table | batch(16) %}
        {{ line | join("U, ") }}U,
{%- endfor %}
    };

    return {% if map.total %}list_of[words]{% else %}(words < {{ map.table | length }}U) ? list_of[words] : {{ map.none_name }}{% endif %};
{%- else %}
    Index low = 0U;
    Index high = {{ map.none_name }}{% if map.total %} - 1U{% endif %};

    /* The first list whose blocks are at least as large. */
    while (low < high) {
        const Index middle = (low + high) / 2U;

        if ({{ map.name }}_words(middle) < words) {
            low = middle + 1U;
        } else {
            high = middle;
        }
    }
{%- if map.has_gaps %}
    if (low < {{ map.none_name }}) {
        static const {{ map.entry }} min[{{ map.rows | length }}] = {
{%- for line in map.rows | map(attribute="low") | batch(16) %}
            {{ line | join("U, ") }}U,
{%- endfor %}
        };

        return (words >= min[low]) ? low : {{ map.none_name }};
    }
{%- endif %}
    return low;
{%- endif %}
}
{%- endif %}
