/* {{ name }}_freertos.c: the heap {{ name }} as the heap of a FreeRTOS kernel, emitted by heapsmith {{ version }}.
 *
 * Compile it and {{ name }}.c in the place of one of the kernel's heap_1.c to heap_5.c. From FreeRTOSConfig.h:
 *     configTOTAL_HEAP_SIZE            bytes of the region
{%- if reserve %}: {{ reserve }}, {{ reserve_words }}{% endif %}
 *     configAPPLICATION_ALLOCATED_HEAP   1: the program defines `uint8_t ucHeap[configTOTAL_HEAP_SIZE]`, in the memory of its choice,
 *                                      at a multiple of {{ grid }} bytes for the offsets that were explored
 *     configUSE_MALLOC_FAILED_HOOK     1: vApplicationMallocFailedHook is called for every request that is refused, with the
 *                                      scheduler running
 *     configHEAP_CLEAR_MEMORY_ON_FREE  1: a block is filled with 0 before it is freed
 *     configSUPPORT_DYNAMIC_ALLOCATION   must be 1
 *     traceMALLOC, traceFREE           called while the scheduler is suspended, with the bytes that were asked for, and those that
 *                                      the block had
 *
 * As of the kernel's own heaps: any task may call, no interrupt. Not here: vPortDefineHeapRegions (there is one region), a separate
 * heap of stacks, and the heap protector: a heap with check=header has checks of its own, and stops in {{ N }}_ON_ERROR.
 *
 * What xPortGetFreeHeapSize counts is free in pieces. vPortGetHeapStats visits every block while the scheduler is suspended.
 */
#include "{{ name }}_system.h"

#include "FreeRTOS.h"
#include "task.h"

#if (configSUPPORT_DYNAMIC_ALLOCATION == 0)
#error "the heap is for programs whose configSUPPORT_DYNAMIC_ALLOCATION is 1"
#endif
#ifndef configHEAP_CLEAR_MEMORY_ON_FREE
#define configHEAP_CLEAR_MEMORY_ON_FREE 0
#endif
#ifndef configAPPLICATION_ALLOCATED_HEAP
#define configAPPLICATION_ALLOCATED_HEAP 0
#endif
#ifndef PRIVILEGED_DATA
#define PRIVILEGED_DATA
#endif

#define ALIGNMENT {{ promised }}U
/* Bytes before the payload of a block. */
#define HEADER {{ header_bytes }}U

#if (({{ promised }} % portBYTE_ALIGNMENT) != 0)
#error "the port aligns blocks to more than {{ promised }} bytes: emit the heap with align= and its portBYTE_ALIGNMENT"
#endif

#if (configAPPLICATION_ALLOCATED_HEAP == 1)
extern uint8_t ucHeap[configTOTAL_HEAP_SIZE];
/* Bytes before the first multiple of ALIGNMENT, which the heap lacks. */
#define SKIPPED ((ALIGNMENT - (size_t)((uintptr_t)ucHeap % ALIGNMENT)) % ALIGNMENT)
#define REGION ((void *)&ucHeap[SKIPPED])
#define REGION_BYTES ((size_t)configTOTAL_HEAP_SIZE - SKIPPED)
#else
{% include "system/aligned.c" %}
PRIVILEGED_DATA REGION_ALIGNED static union {
    uint8_t bytes[configTOTAL_HEAP_SIZE];
    uint64_t aligned;
} region;
#define REGION ((void *)region.bytes)
#define REGION_BYTES ((size_t)configTOTAL_HEAP_SIZE)
#endif

#define LOCK() vTaskSuspendAll()
#define UNLOCK() ((void)xTaskResumeAll())
#define ALLOCATED(block, size) count_allocation(block, size)
#define FREED(block, size) count_free(block, size)
#define MUST(condition) configASSERT(condition)
#if (configUSE_MALLOC_FAILED_HOOK == 1)
#define REFUSED(size) vApplicationMallocFailedHook()
#else
#define REFUSED(size) ((void)0)
#endif

/* What vPortGetHeapStats says of calls. */
static size_t successful_allocations = 0U;
static size_t successful_frees = 0U;

static void count_allocation(void *block, size_t size)
{
    (void)size; /* the macro may have no use for it */
    traceMALLOC(block, size);
    if (block != NULL) {
        successful_allocations++;
    }
}

static void count_free(void *block, size_t size)
{
    (void)size;
    (void)block;
    traceFREE(block, size);
    if (block != NULL) {
        successful_frees++;
    }
}
{% include "system/core.c" %}
{% include "system/clear.c" %}

/* ---- The names of the kernel's portable layer ---------------------------------------------------- */

void *pvPortMalloc(size_t xWantedSize)
{
    return {{ n }}_system_allocate(xWantedSize, 0U);
}

void vPortFree(void *pv)
{
#if (configHEAP_CLEAR_MEMORY_ON_FREE == 1)
    if (pv != NULL) {
        clear(pv, {{ n }}_system_usable_size(pv));
    }
#endif
    {{ n }}_system_free(pv);
}

void *pvPortCalloc(size_t xNum, size_t xSize)
{
    void *block = NULL;

    if ((xNum == 0U) || (xSize <= (SIZE_MAX / xNum))) {
        block = pvPortMalloc(xNum * xSize);
        if (block != NULL) {
            clear(block, xNum * xSize);
        }
    }
    return block;
}

void vPortInitialiseBlocks(void)
{
    LOCK();
    (void)make_heap();
    UNLOCK();
}

size_t xPortGetFreeHeapSize(void)
{
    return {{ n }}_system_statistics().free_bytes;
}

size_t xPortGetMinimumEverFreeHeapSize(void)
{
    return {{ n }}_system_statistics().min_free_bytes;
}

void xPortResetHeapMinimumEverFreeHeapSize(void)
{
    LOCK();
    shared_heap.min_free_bytes = shared_heap.free_bytes;
    UNLOCK();
}

/* For a scheduler that is started again: all blocks are gone. */
void vPortHeapResetState(void)
{
    is_made = false;
    successful_allocations = 0U;
    successful_frees = 0U;
}

/* Counts a block that is free, or cached for later requests. */
static void count_block(void *context, const void *block, size_t bytes, unsigned int status)
{
    /* cppcheck-suppress misra-c2012-11.5 ; it is what is handed to the walk below */
    HeapStats_t *const stats = (HeapStats_t *)context;

    (void)block;
    if (status == {{ N }}_IS_USED) {
        return;
    }
    stats->xNumberOfFreeBlocks++;
    if (bytes > stats->xSizeOfLargestFreeBlockInBytes) {
        stats->xSizeOfLargestFreeBlockInBytes = bytes;
    }
    if (bytes < stats->xSizeOfSmallestFreeBlockInBytes) {
        stats->xSizeOfSmallestFreeBlockInBytes = bytes;
    }
}

void vPortGetHeapStats(HeapStats_t *pxHeapStats)
{
    pxHeapStats->xAvailableHeapSpaceInBytes = 0U;
    pxHeapStats->xSizeOfLargestFreeBlockInBytes = 0U;
    pxHeapStats->xSizeOfSmallestFreeBlockInBytes = SIZE_MAX;
    pxHeapStats->xNumberOfFreeBlocks = 0U;
    pxHeapStats->xMinimumEverFreeBytesRemaining = 0U;
    LOCK();
    if (make_heap()) {
        const struct {{ n }}_statistics counts = {{ n }}_statistics(&shared_heap);
        const size_t wilderness = counts.region - counts.footprint;

        {{ n }}_walk(&shared_heap, count_block, pxHeapStats);
        /* What was never used yet is a block too, with its header. */
        if (wilderness > HEADER) {
            count_block(pxHeapStats, NULL, wilderness - HEADER, {{ N }}_IS_FREE);
        }
        pxHeapStats->xAvailableHeapSpaceInBytes = counts.free_bytes;
        pxHeapStats->xMinimumEverFreeBytesRemaining = counts.min_free_bytes;
    }
    pxHeapStats->xNumberOfSuccessfulAllocations = successful_allocations;
    pxHeapStats->xNumberOfSuccessfulFrees = successful_frees;
    UNLOCK();
    if (pxHeapStats->xNumberOfFreeBlocks == 0U) {
        pxHeapStats->xSizeOfSmallestFreeBlockInBytes = 0U;
    }
}
