/* {{ name }}_{{ system.file }}.c: the heap {{ name }} in {{ system.title }}, emitted by heapsmith {{ version }}.
 *
 * Interrupts are off during a call, as ThreadX has it (TX_DISABLE): threads and interrupts may call. The bound of an operation in
 * {{ name }}.h is what that adds to the latency of interrupts.
{% include "system/options.c" %}
#include "{{ name }}_threadx.h"
{% include "system/region.c" %}
{% include "system/told.c" %}

/* Each ends with a semicolon of its own. */
#define LOCK() TX_INTERRUPT_SAVE_AREA TX_DISABLE
#define UNLOCK() TX_RESTORE
{% include "system/core.c" %}

/* ---- The calls of a byte pool -------------------------------------------------------------------------- */

UINT {{ n }}_byte_allocate(VOID **memory, ULONG bytes, ULONG wait)
{
    if (memory == NULL) {
        return TX_PTR_ERROR;
    }
    *memory = NULL;
    if (bytes == 0U) {
        return TX_SIZE_ERROR;
    }
    if (wait != TX_NO_WAIT) {
        return TX_WAIT_ERROR;
    }
    *memory = {{ n }}_system_allocate((size_t)bytes, 0U);
    return (*memory != NULL) ? TX_SUCCESS : TX_NO_MEMORY;
}

UINT {{ n }}_byte_release(VOID *memory)
{
    if (memory == NULL) {
        return TX_PTR_ERROR;
    }
    {{ n }}_system_free(memory);
    return TX_SUCCESS;
}

UINT {{ n }}_byte_info(ULONG *available, ULONG *min_available)
{
    const struct {{ n }}_statistics counts = {{ n }}_system_statistics();

    if (available != NULL) {
        *available = (ULONG)counts.free_bytes;
    }
    if (min_available != NULL) {
        *min_available = (ULONG)counts.min_free_bytes;
    }
    return TX_SUCCESS;
}
