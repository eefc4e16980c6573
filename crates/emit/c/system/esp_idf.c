/* {{ name }}_{{ system.file }}.c: the heap {{ name }} in {{ system.title }}, emitted by heapsmith {{ version }}.
 *
 * A spinlock is held during a call, and interrupts are off on that core: tasks and interrupts of both cores may call. To put the
 * region into external memory, define {{ N }}_SYSTEM_ATTRIBUTE as EXT_RAM_BSS_ATTR, and {{ N }}_SYSTEM_CAPS as what it can do.
{% include "system/options.c" %}
#include "{{ name }}_esp_idf.h"

#include "esp_attr.h"
#include "freertos/FreeRTOS.h"
{% include "system/region.c" %}
{% include "system/told.c" %}

static portMUX_TYPE heap_lock = portMUX_INITIALIZER_UNLOCKED;

#define LOCK() portENTER_CRITICAL_SAFE(&heap_lock)
#define UNLOCK() portEXIT_CRITICAL_SAFE(&heap_lock)
{% include "system/core.c" %}

/* ---- Capabilities --------------------------------------------------------------------------------------- */

void *{{ n }}_caps_malloc(size_t size, uint32_t caps)
{
    const uint32_t others = caps & ~((uint32_t){{ N }}_SYSTEM_CAPS);
    void *const block = (others == 0U) ? {{ n }}_system_allocate(size, 0U) : NULL;

    return (block != NULL) ? block : heap_caps_malloc(size, caps);
}

void {{ n }}_caps_free(void *block)
{
    bool is_ours;

    LOCK();
    is_ours = is_made && {{ n }}_owns(&shared_heap, block);
    UNLOCK();
    if (is_ours) {
        {{ n }}_system_free(block);
    } else {
        heap_caps_free(block);
    }
}
