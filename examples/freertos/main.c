/* Two tasks whose queues, messages and further tasks all come from the heap. Prints what the heap says of it.
 *
 *   sender ──queue of pointers──▶ receiver ──frees each message
 *      └── starts a short task every 16 messages, which deletes itself
 */
#include <stddef.h>

#include "FreeRTOS.h"
#include "queue.h"
#include "task.h"

#include "board.h"
#ifdef HEAPSMITH_TRACE_FREERTOS_WRAP
#include "heapsmith_trace.h"
#endif
#ifdef RTOS_HEAP
#include "rtos_heap_system.h"
#endif

#define MESSAGES 200U

static unsigned int refused, wrong, short_tasks;

/* A message: its bytes all have one value, so that the receiver sees whether it is whole. */
typedef struct message {
    size_t length;
    unsigned char bytes[];
} Message;

void vApplicationMallocFailedHook(void)
{
    refused++;
}

#ifdef HEAPSMITH_TRACE_FREERTOS_WRAP
void vApplicationIdleHook(void)
{
    (void)heapsmith_trace_drain();
}
#endif

static void short_task(void *nothing)
{
    (void)nothing;
    short_tasks++;
    vTaskDelete(NULL);
}

static void sender(void *queue)
{
    uint32_t random = 1U;

    for (unsigned int number = 0U; number < MESSAGES; number++) {
        random = (random * 1664525U) + 1013904223U;
        const size_t length = 8U + ((random >> 16) % 300U);
        Message *const message = pvPortMalloc(sizeof(Message) + length);

        configASSERT(message != NULL);
        message->length = length;
        for (size_t at = 0U; at < length; at++) {
            message->bytes[at] = (unsigned char)number;
        }
        configASSERT(xQueueSend((QueueHandle_t)queue, &message, portMAX_DELAY) == pdPASS);
        if ((number % 16U) == 0U) {
            configASSERT(xTaskCreate(short_task, "short", configMINIMAL_STACK_SIZE, NULL, 3U, NULL) == pdPASS);
            vTaskDelay(2U); /* the idle task frees what a task had that deleted itself */
        }
    }
    vTaskDelete(NULL);
}

/* The invariant of the heap that is broken, 0 if none is; heap_4.c has no such check. */
static uint32_t broken(void)
{
#ifdef RTOS_HEAP
    return rtos_heap_system_check();
#else
    return 0U;
#endif
}

/* Free bytes at a moment at which nothing of the tasks' is live. */
static void print_statistics(void)
{
    HeapStats_t stats;

    vPortGetHeapStats(&stats);
#ifdef RTOS_HEAP
    print_number("region ", (uint32_t)rtos_heap_system_statistics().region);
    print_number("footprint_peak ", (uint32_t)rtos_heap_system_statistics().footprint_peak);
#else
    print_number("region ", configTOTAL_HEAP_SIZE);
#endif
    print_number("free ", (uint32_t)xPortGetFreeHeapSize());
    print_number("min_ever_free ", (uint32_t)xPortGetMinimumEverFreeHeapSize());
    print_number("largest_free ", (uint32_t)stats.xSizeOfLargestFreeBlockInBytes);
    print_number("free_blocks ", (uint32_t)stats.xNumberOfFreeBlocks);
    print_number("allocations ", (uint32_t)stats.xNumberOfSuccessfulAllocations);
    print_number("frees ", (uint32_t)stats.xNumberOfSuccessfulFrees);
    print_number("refused ", refused);
    print_number("short_tasks ", short_tasks);
    print_number("wrong ", wrong);
    print_number("broken ", broken());
#ifdef HEAPSMITH_TRACE_FREERTOS_WRAP
    print_number("lost ", (uint32_t)heapsmith_trace_lost());
#endif
}

static void receiver(void *queue)
{
    for (unsigned int number = 0U; number < MESSAGES; number++) {
        Message *message;

        configASSERT(xQueueReceive((QueueHandle_t)queue, &message, portMAX_DELAY) == pdPASS);
        for (size_t at = 0U; at < message->length; at++) {
            wrong += (message->bytes[at] != (unsigned char)number) ? 1U : 0U;
        }
        vPortFree(message);
    }
    configASSERT(pvPortMalloc(configTOTAL_HEAP_SIZE) == NULL);
    vQueueDelete((QueueHandle_t)queue);
    /* The idle task frees the tasks that are gone. */
    vTaskDelay(20U);
#ifdef HEAPSMITH_TRACE_FREERTOS_WRAP
    heapsmith_trace_finish();
#endif
    print_statistics();
    stop((wrong == 0U) && (refused == 1U) && (broken() == 0U));
}

int main(void)
{
    QueueHandle_t queue = xQueueCreate(8U, sizeof(Message *));

    configASSERT(queue != NULL);
    configASSERT(xTaskCreate(sender, "send", 256U, queue, 2U, NULL) == pdPASS);
    configASSERT(xTaskCreate(receiver, "receive", 256U, queue, 2U, NULL) == pdPASS);
    vTaskStartScheduler();
    return 1; /* the scheduler has no room for the idle task */
}
