
/* What the region begins at a multiple of, where the compiler can be told: offsets are those that were explored.
{%- if grid > 8 %} A smaller power of
 * two, at least {{ promised }}, saves what the linker may leave free before the region, and other blocks may serve a request.
{%- endif %} */
#ifndef {{ N }}_SYSTEM_ALIGNED
#define {{ N }}_SYSTEM_ALIGNED {{ grid }}
#endif
#if defined(__GNUC__)
#define REGION_ALIGNED __attribute__((aligned({{ N }}_SYSTEM_ALIGNED)))
#else
#define REGION_ALIGNED
#endif
