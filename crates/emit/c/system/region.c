
{%- if "config" in extras %}

#include "{{ name }}_config.h"
{%- endif %}

{%- if reserve %}
/* Bytes of the region, in which what was measured is served. */
{%- endif %}
#ifndef {{ N }}_SYSTEM_BYTES
{%- if reserve %}
#define {{ N }}_SYSTEM_BYTES {{ reserve }}U
{%- else %}
#error "define {{ N }}_SYSTEM_BYTES: the bytes of the region. With --trace heapsmith writes what a trace needs"
{%- endif %}
#endif
{% include "system/aligned.c" %}
#ifdef {{ N }}_SYSTEM_REGION
#define REGION ((void *)({{ N }}_SYSTEM_REGION))
#else
#ifndef {{ N }}_SYSTEM_ATTRIBUTE
#define {{ N }}_SYSTEM_ATTRIBUTE
#endif
REGION_ALIGNED {{ N }}_SYSTEM_ATTRIBUTE static union {
    uint8_t bytes[{{ N }}_SYSTEM_BYTES];
    uint64_t aligned;
} region;
#define REGION ((void *)region.bytes)
#endif
#define REGION_BYTES ((size_t)({{ N }}_SYSTEM_BYTES))
