/* How the kernel is built for this example. The kernel's documentation has the meaning of each name. */
#ifndef FREERTOS_CONFIG_H
#define FREERTOS_CONFIG_H

#include <stdint.h>

void halt(const char *file, int line);

#define configCPU_CLOCK_HZ 25000000UL
#define configTICK_RATE_HZ 1000U
#define configTICK_TYPE_WIDTH_IN_BITS TICK_TYPE_WIDTH_32_BITS
#define configUSE_PREEMPTION 1
#define configMAX_PRIORITIES 5
#define configMINIMAL_STACK_SIZE 128U
#define configMAX_TASK_NAME_LEN 8
/* The recorder sends when nothing else is to be done. */
#ifdef HEAPSMITH_TRACE_FREERTOS_WRAP
#define configUSE_IDLE_HOOK 1
#else
#define configUSE_IDLE_HOOK 0
#endif
#define configUSE_TICK_HOOK 0
#define configUSE_TIMERS 0
#define configUSE_MUTEXES 1
#define configCHECK_FOR_STACK_OVERFLOW 0
#define configASSERT(condition) do { if (!(condition)) { halt(__FILE__, __LINE__); } } while (0)

/* The heap. */
#define configSUPPORT_DYNAMIC_ALLOCATION 1
#define configSUPPORT_STATIC_ALLOCATION 0
#ifndef configTOTAL_HEAP_SIZE
#define configTOTAL_HEAP_SIZE (16U * 1024U)
#endif
#define configUSE_MALLOC_FAILED_HOOK 1
#define configHEAP_CLEAR_MEMORY_ON_FREE 1

/* Priorities of interrupts: three bits are there. */
#define configKERNEL_INTERRUPT_PRIORITY (7U << 5)
#define configMAX_SYSCALL_INTERRUPT_PRIORITY (5U << 5)

#define INCLUDE_vTaskDelete 1
#define INCLUDE_vTaskDelay 1
#define INCLUDE_vTaskSuspend 1

/* The handlers of the port, under the names in board.c. */
#define vPortSVCHandler supervisor_call
#define xPortPendSVHandler pending_switch
#define xPortSysTickHandler tick

#endif
