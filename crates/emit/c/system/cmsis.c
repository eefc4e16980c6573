/* {{ name }}_{{ system.file }}.c: the heap {{ name }} in {{ system.title }}, emitted by heapsmith {{ version }}.
 *
 * The lock is that of the kernel of CMSIS-RTOS2 (osKernelLock), which nests: any thread may call, no interrupt. Before the kernel
 * starts there is no lock, and one thread.
{% include "system/options.c" %}
#include "{{ name }}_system.h"

#include "cmsis_os2.h"
{% include "system/region.c" %}
{% include "system/told.c" %}

#define LOCK() const int32_t before_call = osKernelLock()
#define UNLOCK() ((void)osKernelRestoreLock(before_call))
{% include "system/core.c" %}
