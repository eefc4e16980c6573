 *
 * These may be defined when it is compiled{% if "config" in extras %}, in {{ name }}_config.h{% endif %}:
 *     {{ N }}_SYSTEM_BYTES             bytes of the region{% if reserve %}; by default {{ reserve }}, {{ reserve_words }}{% endif %}
 *     {{ N }}_SYSTEM_ATTRIBUTE         an attribute of the region, such as a section of the linker's script
 *     {{ N }}_SYSTEM_REGION            its address, a multiple of {{ grid }} for the offsets that were explored; by default it is a variable
{%- if plain %}
 *     {{ N }}_SYSTEM_LOCK(), {{ N }}_SYSTEM_UNLOCK()   by default interrupts are off during a call
{%- endif %}
 *     {{ N }}_SYSTEM_ASSERT(condition), {{ N }}_SYSTEM_OUT_OF_MEMORY(size)   each does nothing by default
 */
