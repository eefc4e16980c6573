/* {{ name }}_{{ system.file }}.c: the heap {{ name }} in {{ system.title }}, emitted by heapsmith {{ version }}.
 *
 * The functions of {{ name }}_system.h may be called from anywhere, interrupts too.
{% include "system/options.c" %}
#include "{{ name }}_system.h"
{% include "system/region.c" %}
{% include "system/told.c" %}
{% include "system/interrupts.c" %}
{% include "system/core.c" %}
