/* The wrapper for FreeRTOS, on a stand-in of its kernel. */
#include "FreeRTOS.h"
#include "task.h"

#define BYTES configTOTAL_HEAP_SIZE
#define ALLOCATE(size) pvPortMalloc(size)
#define FREE(block) vPortFree(block)
#include "../play.h"

static unsigned int hooks, traced_allocations, traced_frees;

void failed_assertion(const char *condition)
{
    (void)printf("configASSERT(%s)\n", condition);
    exit(1);
}

void note_allocation(const void *block, size_t size)
{
    REQUIRE((locks == 1) && ((size > 0U) || (block == NULL)));
    traced_allocations += (block != NULL) ? 1U : 0U;
}

void note_free(const void *block, size_t size)
{
    REQUIRE((locks == 1) && (block != NULL) && (size > 0U));
    traced_frees++;
}

void vApplicationMallocFailedHook(void)
{
    REQUIRE(locks == 0);
    hooks++;
}

void vTaskSuspendAll(void)
{
    note_lock();
}

BaseType_t xTaskResumeAll(void)
{
    note_unlock();
    return 0;
}


int main(void)
{
    HeapStats_t stats;
    size_t whole;
    unsigned int refused;
    unsigned char *zeroes;

    vPortInitialiseBlocks();
    whole = xPortGetFreeHeapSize();
    REQUIRE((whole > 0U) && (whole <= BYTES) && (xPortGetMinimumEverFreeHeapSize() == whole));
    refused = play();
    REQUIRE((refused > 0U) && (hooks == refused));
    REQUIRE((traced_allocations > 0U) && (traced_allocations == traced_frees));
    REQUIRE(xPortGetFreeHeapSize() == whole);
    REQUIRE(xPortGetMinimumEverFreeHeapSize() < (whole / 4U));
    vPortGetHeapStats(&stats);
    REQUIRE(stats.xNumberOfSuccessfulAllocations == traced_allocations);
    REQUIRE(stats.xNumberOfSuccessfulFrees == traced_frees);
    REQUIRE((stats.xAvailableHeapSpaceInBytes == whole) && (stats.xNumberOfFreeBlocks > 0U));
    REQUIRE(stats.xSizeOfSmallestFreeBlockInBytes <= stats.xSizeOfLargestFreeBlockInBytes);
    REQUIRE(stats.xSizeOfLargestFreeBlockInBytes <= whole);
    xPortResetHeapMinimumEverFreeHeapSize();
    REQUIRE(xPortGetMinimumEverFreeHeapSize() == whole);

    zeroes = pvPortCalloc(5U, 20U);
    REQUIRE(zeroes != NULL);
    for (size_t at = 0U; at < 100U; at++) {
        REQUIRE(zeroes[at] == 0U);
    }
    vPortFree(zeroes);
    REQUIRE(pvPortCalloc(SIZE_MAX / 2U, 3U) == NULL);
    REQUIRE(pvPortMalloc(0U) == NULL);
    REQUIRE(pvPortMalloc(SIZE_MAX) == NULL);
    vPortFree(NULL);

    vPortHeapResetState();
    REQUIRE((xPortGetFreeHeapSize() == whole) && (max_locks == 1));
    (void)puts("as the documentation says");
    return 0;
}
