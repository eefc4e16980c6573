
/* Words of the blocks that a {{ map.what }} {{ map.verb }}. */
static inline Index {{ map.name }}_words(Place list)
{
{%- if map.rows | length == 1 %}
    (void)list;
    return {{ map.rows[0].high }}U;
{%- elif map.form == "steps" %}
    return ((Index)list + {{ map.first }}U) * {{ map.step }}U;
{%- else %}
    static const {{ map.entry }} words[{{ map.none_name }}] = {
{%- for line in map.rows | map(attribute="high") | batch(16) %}
        {{ line | join("U, ") }}U,
{%- endfor %}
    };

    return words[list];
{%- endif %}
}
{%- if map.form == "direct" or map.form == "near" %}

/* The {{ map.what }} that serves blocks of `steps` {% if map.step > 1 %}times {{ map.step }} {% endif %}words; {{ map.none_name }} if none does
{%- if map.mark %}, marked if it holds larger ones{% endif %}. */
{%- if map.mark %}
#define {{ map.name | upper }}_MARK {{ map.mark }}U
{%- endif %}
static inline Place {{ map.name }}_at(Place steps)
{
    static const {{ map.list_entry }} list_at[{{ map.table | length }}] = {
{%- for line in map.table | batch(16) %}
        {{ line | join("U, ") }}U,
{%- endfor %}
    };

    return list_at[steps];
}
{%- set list_at = map.name ~ "_at(words / " ~ map.step ~ "U)" if map.step > 1 else map.name ~ "_at(words)" %}
{%- endif %}
{%- if map.form == "near" or map.form == "search" %}

/* Searches for the {{ map.what }} that serves blocks of `words` words{% if map.far %}, more than {{ (map.table | length - 1) * map.step }}{% endif %}; {{ map.none_name }}{% if map.total %} - 1 at most{% else %} if none does{% endif %}. */
{% if map.far and map.by_size and (free_lists or op.hit) %}SELDOM{% else %}static inline{% endif %} Place {{ map.name }}_far(Index words)
{
    Place low = {{ map.far }}U;
    Place high = {{ map.none_name }}{% if map.total %} - 1U{% endif %};

    /* The first list whose blocks are at least as large. */
    while (low < high) {
        const Place middle = (low + high) / 2U;

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
}
{%- endif %}
{%- if not (map.total and map.by_size) %}

/* The {{ map.what }} that serves blocks of `words` words{% if map.total %}, which are no more than those of the largest{% else %}; {{ map.none_name }} if none does{% endif %}. */
static inline Place {{ map.name }}_of(Index words)
{
{%- if map.form == "few" %}
{%- if map.total and map.rows | length == 1 %}
    (void)words;
{%- endif %}
{%- for row in (map.rows[:-1] if map.total else map.rows) %}
    if ({% if row.low == row.high %}words == {{ row.low }}U{% elif row.low == 0 or not map.has_gaps %}words <= {{ row.high }}U{% else %}(words >= {{ row.low }}U) && (words <= {{ row.high }}U){% endif %}) {
        return {{ loop.index0 }}U;
    }
{%- endfor %}
    return {{ map.none_name }}{% if map.total %} - 1U{% endif %};
{%- elif map.form == "steps" %}
{%- if map.lowest < map.first %}
    const Place list = {% if map.lowest > 1 %}(words < {{ map.lowest * map.step }}U) ? {{ map.none_name }} : {% endif %}(words < {{ map.first * map.step }}U) ? 0U : (((Place)words / {{ map.step }}U) - {{ map.first }}U);
{%- else %}
    const Place list = ((Place)words / {{ map.step }}U) - {{ map.first }}U;
{%- endif %}

    return {% if map.total %}list{% else %}(list < {{ map.none_name }}) ? list : {{ map.none_name }}{% endif %};
{%- elif map.form == "near" %}
    return (words < {{ map.table | length * map.step }}U) ? {% if map.mark %}({{ list_at }} & ({{ map.name | upper }}_MARK - 1U)){% else %}{{ list_at }}{% endif %} : {{ map.name }}_far(words);
{%- elif map.form == "direct" %}
    return {% if map.total %}{{ list_at }}{% else %}(words < {{ map.table | length * map.step }}U) ? {% if map.mark %}({{ list_at }} & ({{ map.name | upper }}_MARK - 1U)){% else %}{{ list_at }}{% endif %} : {{ map.none_name }}{% endif %};
{%- else %}
    return {{ map.name }}_far(words);
{%- endif %}
}
{%- endif %}
{%- if map.holding %}

/* The {{ map.what }} that {{ map.verb }} blocks of `words` words and of no other size; {{ map.none_name }} or more if none does. */
static inline Place {{ map.name }}_holding(Index words)
{
{%- if map.form == "steps" %}
    return ((Place)words / {{ map.step }}U) - {{ map.first }}U;
{%- elif map.form == "direct" %}
    return (words < {{ map.table | length * map.step }}U) ? {{ list_at }} : {{ map.none_name }};
{%- else %}
{%- if map.form == "near" %}
    Place list;

    if (words < {{ map.table | length * map.step }}U) {
        return {{ list_at }};
    }
    list = {{ map.name }}_far(words);
{%- else %}
    const Place list = {{ map.name }}_of(words);
{% endif %}
    return ((list < {{ map.none_name }}) && ({{ map.name }}_words(list) == words)) ? list : {{ map.none_name }};
{%- endif %}
}
{%- endif %}
{%- if map.by_size %}

/* The {{ map.what }} that serves requests of `size` bytes, from 1 to {{ map.by_size.largest }}{% if map.by_size.misses %}; {{ map.none_name }} or more if none does{% endif %}. */
static inline Place {{ map.name }}_for(size_t size)
{
    const Place steps = (Place)((size + {{ map.by_size.pad }}U) / {{ map.by_size.unit }}U);
{% if map.form == "steps" %}
    return {% if map.by_size.below %}(steps < {{ map.first }}U) ? 0U : (steps - {{ map.first }}U){% else %}steps - {{ map.first }}U{% endif %};
{%- elif map.form == "near" %}
    return (steps < {{ map.table | length }}U) ? {% if map.mark %}({{ map.name }}_at(steps) & ({{ map.name | upper }}_MARK - 1U)){% else %}{{ map.name }}_at(steps){% endif %} : {{ map.name }}_far((Index)steps{% if map.step > 1 %} * {{ map.step }}U{% endif %});
{%- else %}
    return {{ map.name }}_at(steps){% if map.mark %} & ({{ map.name | upper }}_MARK - 1U){% endif %};
{%- endif %}
}
{%- endif %}
