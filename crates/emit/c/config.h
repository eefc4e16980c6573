/* {{ name }}_config.h: how the heap {{ name }} is compiled. It is yours to change: heapsmith emits it where there is none,
 * and then leaves it as it is.
 *
 * Each macro has its default where it is not defined here. {{ name }}.c includes this file after {{ name }}.h, and nobody else
 * needs it.
 */
#ifndef {{ N }}_CONFIG_H
#define {{ N }}_CONFIG_H

/* What must hold.
#include <assert.h>
#define {{ N }}_ASSERT(condition) assert(condition) */

/* One thread at a time. The first may declare a variable that the second reads.
#define {{ N }}_LOCK(heap) const uint32_t interrupts = irq_save()
#define {{ N }}_UNLOCK(heap) irq_restore(interrupts) */

/* Every call: {{ name }}.h has the meaning of each argument.
#define {{ N }}_TRACE(heap, what, old, block, size, alignment) log_call(what, old, block, size, alignment) */
{%- if "out-of-memory" in extras %}

/* A request was refused.
#define {{ N }}_OUT_OF_MEMORY(heap, size) on_out_of_memory(size) */
{%- endif %}
{%- if tells %}

/* A heap error.
#define {{ N }}_ON_ERROR(heap, error, block) on_heap_error(error, block) */
{%- endif %}
{%- if guards %}

/* What is mixed into the words of the guard.
extern uint32_t drawn_at_start;
#define {{ N }}_SECRET drawn_at_start */
{%- endif %}
{%- if uses_leading_zeros %}

/* Of a word that is not 0.
#define {{ N }}_COUNT_LEADING_ZEROS(word) clz(word) */
{%- endif %}
{%- if uses_trailing_zeros %}

/* Of a word that is not 0.
#define {{ N }}_COUNT_TRAILING_ZEROS(word) ctz(word) */
{%- endif %}

#endif
