/* A stand-in that we wrote for tests: of the published interface of the FreeRTOS kernel, the names that a heap uses, with the
 * types that its documentation gives them. It is not the kernel: `cargo xtask firmware` runs that. */
#ifndef FREERTOS_H
#define FREERTOS_H

#include <stddef.h>
#include <stdint.h>

typedef long BaseType_t;

#define portBYTE_ALIGNMENT 8
#define configSUPPORT_DYNAMIC_ALLOCATION 1
#define configTOTAL_HEAP_SIZE 16384
#ifndef configUSE_MALLOC_FAILED_HOOK
#define configUSE_MALLOC_FAILED_HOOK 1
#endif

void failed_assertion(const char *condition);
#define configASSERT(condition) ((condition) ? (void)0 : failed_assertion(#condition))

void note_allocation(const void *block, size_t size);
void note_free(const void *block, size_t size);
#define traceMALLOC(pvAddress, uiSize) note_allocation(pvAddress, uiSize)
#define traceFREE(pvAddress, uiSize) note_free(pvAddress, uiSize)

typedef struct xHeapStats {
    size_t xAvailableHeapSpaceInBytes;
    size_t xSizeOfLargestFreeBlockInBytes;
    size_t xSizeOfSmallestFreeBlockInBytes;
    size_t xNumberOfFreeBlocks;
    size_t xMinimumEverFreeBytesRemaining;
    size_t xNumberOfSuccessfulAllocations;
    size_t xNumberOfSuccessfulFrees;
} HeapStats_t;

void *pvPortMalloc(size_t xWantedSize);
void vPortFree(void *pv);
void *pvPortCalloc(size_t xNum, size_t xSize);
void vPortInitialiseBlocks(void);
void vPortHeapResetState(void);
size_t xPortGetFreeHeapSize(void);
size_t xPortGetMinimumEverFreeHeapSize(void);
void xPortResetHeapMinimumEverFreeHeapSize(void);
void vPortGetHeapStats(HeapStats_t *pxHeapStats);
void vApplicationMallocFailedHook(void);

#endif
