{% include "buddy/blocks.c" %}
{%- if checked %}{% include "buddy/checked.c" %}{% endif %}
{%- if pool.estranged %}
{% include "buddy/estranged.c" %}
{%- else %}
{% include "buddy/knuth.c" %}
{%- endif %}
{% include "buddy/heap.c" %}
