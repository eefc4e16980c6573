 *
{%- for line in spec_lines %}
 *     {{ line }}
{%- endfor %}
 *
{%- if figures %}
 * Measured on {{ figures.traces }}:
{%- for line in figures.lines %}
 *     {{ line }}
{%- endfor %}
{%- else %}
 * Not measured: no trace was named when it was emitted.
{%- endif %}
 *
 * Bounds:
{%- for line in promise.lines %}
 *     {{ line }}
{%- endfor %}
{%- if promise.legend %}
 *     with M the most bytes in live blocks at once, headers included, B the most live blocks, n the
 *     largest block, all in units of the smallest.
{%- endif %}
