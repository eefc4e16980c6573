/* What the heaps of FreeRTOS take from the kernel, as on a port of 32 bits that aligns to 8 bytes. */
#ifndef FREERTOS_H
#define FREERTOS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef unsigned long UBaseType_t;
typedef long BaseType_t;

#define portBYTE_ALIGNMENT 8
#define portBYTE_ALIGNMENT_MASK 7
#define portPOINTER_SIZE_TYPE uint32_t
#define portMAX_DELAY 0xffffffffUL
#define configSUPPORT_DYNAMIC_ALLOCATION 1
#define configTOTAL_HEAP_SIZE (64UL << 20)
#define configAPPLICATION_ALLOCATED_HEAP 0
#define configUSE_MALLOC_FAILED_HOOK 0
#define configENABLE_HEAP_PROTECTOR 0
#define configHEAP_CLEAR_MEMORY_ON_FREE 0
#ifndef configASSERT
#define configASSERT(x) ((x) ? (void)0 : abort())
#endif
#define PRIVILEGED_DATA
#define PRIVILEGED_FUNCTION
#define mtCOVERAGE_TEST_MARKER()
#define traceMALLOC(address, size) ((void)(size))
#define traceFREE(address, size) ((void)(size))
#define vTaskSuspendAll()
#define xTaskResumeAll() 0
#define taskENTER_CRITICAL()
#define taskEXIT_CRITICAL()
#define pdFALSE 0
#define pdTRUE 1

typedef struct {
    size_t xAvailableHeapSpaceInBytes, xSizeOfLargestFreeBlockInBytes, xSizeOfSmallestFreeBlockInBytes;
    size_t xNumberOfFreeBlocks, xMinimumEverFreeBytesRemaining;
    size_t xNumberOfSuccessfulAllocations, xNumberOfSuccessfulFrees;
} HeapStats_t;

void *pvPortMalloc(size_t size);
void vPortFree(void *block);

#endif
