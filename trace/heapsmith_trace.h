/* Records what a program asks of its heap, on the board itself: 8 bytes an event, no allocation, no waiting.
 *
 *   malloc, free ──hook──▶ ring of events ──heapsmith_trace_drain──▶ link ──▶ heapsmith import
 *
 * 1. Compile heapsmith_trace.c with a link and a system from the lists below (-D, or a file: HEAPSMITH_TRACE_CONFIG).
 * 2. Call heapsmith_trace_drain() from an idle loop, a task of low priority or a timer: it sends what the link takes.
 * 3. On the host: heapsmith import --follow /dev/ttyACM0 -o board.parquet, or with the file that a debugger wrote.
 *
 * Between two calls of heapsmith_trace_drain the ring takes HEAPSMITH_TRACE_EVENTS - HEAPSMITH_TRACE_REQUEST events. What comes
 * beyond that is left out, counted, and said in the stream. A link carries an event in 8.1 bytes: 1,420 events/s at
 * 115,200 baud.
 *
 * | -D                       | link                                                                     |
 * |--------------------------|--------------------------------------------------------------------------|
 * | HEAPSMITH_TRACE_RTT      | SEGGER RTT, channel HEAPSMITH_TRACE_CHANNEL (1): needs SEGGER_RTT.c      |
 * | HEAPSMITH_TRACE_ITM      | stimulus port HEAPSMITH_TRACE_CHANNEL (1) of an Arm Cortex-M             |
 * | HEAPSMITH_TRACE_UART     | HEAPSMITH_TRACE_PUT(byte), which you define; HEAPSMITH_TRACE_READY() too |
 * | HEAPSMITH_TRACE_FILE     | the file HEAPSMITH_TRACE_PATH ("heap.trace") of the C library            |
 * | HEAPSMITH_TRACE_SEMIHOST | the same file on the host of a debugger or emulator, Arm or RISC-V       |
 * | HEAPSMITH_TRACE_WRITE    | a function of yours: size_t name(const unsigned char *bytes, size_t count) |
 *
 * | -D                      | what calls the recorder                                                       |
 * |-------------------------|-------------------------------------------------------------------------------|
 * | HEAPSMITH_TRACE_FREERTOS | traceMALLOC and traceFREE: include this file at the end of FreeRTOSConfig.h  |
 * | HEAPSMITH_TRACE_FREERTOS_WRAP | -Wl,--wrap=pvPortMalloc,--wrap=pvPortCalloc,--wrap=vPortFree: sizes as they were asked for |
 * | HEAPSMITH_TRACE_NEWLIB  | -Wl,--wrap= malloc, free, calloc, realloc, memalign, aligned_alloc, each, and _malloc_r and so on to _memalign_r |
 * | HEAPSMITH_TRACE_LIBC    | the same for other C libraries: --wrap=malloc,free,calloc,realloc,memalign    |
 * | HEAPSMITH_TRACE_ZEPHYR  | CONFIG_HEAP_LISTENER; call heapsmith_trace_zephyr(heap) for each heap          |
 * | HEAPSMITH_TRACE_ESP_IDF | CONFIG_HEAP_USE_HOOKS                                                          |
 * | HEAPSMITH_TRACE_THREADX | -Wl,--wrap=_tx_byte_allocate,--wrap=_tx_byte_release                           |
 * | HEAPSMITH_TRACE_NUTTX   | CONFIG_SCHED_INSTRUMENTATION_HEAP and -Wl,--wrap=sched_note_heap               |
 *
 * Without any of them, call the three functions below; the TRACE macro of a heap that heapsmith emitted is a place for that.
 *
 * Options: HEAPSMITH_TRACE_EVENTS, a power of two (256); HEAPSMITH_TRACE_CLOCK(), ticks of 32 bits, with HEAPSMITH_TRACE_HZ,
 * ticks a second; HEAPSMITH_TRACE_TASK(), a number for the running task; HEAPSMITH_TRACE_SITE(), one for the caller;
 * HEAPSMITH_TRACE_LOCK() and HEAPSMITH_TRACE_UNLOCK() where no lock of the system's is held during the hooks. Each of the
 * first three costs an event where it changes. */
#ifndef HEAPSMITH_TRACE_H
#define HEAPSMITH_TRACE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A request of `size` bytes was answered with `block`; a null pointer says that it was refused. `alignment` is what the caller
 * asked for, 0 if nothing. */
void heapsmith_trace_allocate(const void *block, size_t size, size_t alignment);

/* The block `old` became one of `size` bytes at `block`; a null pointer says that it could not, and `old` remains. */
void heapsmith_trace_reallocate(const void *old, const void *block, size_t size);

/* A block was freed. A null pointer is nothing. */
void heapsmith_trace_free(const void *block);

/* Sends what the link takes now; returns how many bytes that was. One caller at a time; the hooks may come in between. */
size_t heapsmith_trace_drain(void);

/* Sends all there is and the end of the stream. Waits for the link. */
void heapsmith_trace_finish(void);

/* Events that found the ring full. */
unsigned long heapsmith_trace_lost(void);

#ifdef HEAPSMITH_TRACE_FREERTOS
/* The kernel's own heaps pass a size with their header, rounded up; one that heapsmith emitted passes what was asked for. */
void heapsmith_trace_freertos(const void *block, size_t size);
#ifdef HEAPSMITH_TRACE_FREERTOS_EXACT
#define traceMALLOC(block, size) heapsmith_trace_allocate((block), (size), 0U)
#else
#define traceMALLOC(block, size) heapsmith_trace_freertos((block), (size))
#endif
#define traceFREE(block, size) heapsmith_trace_free(block)
#endif

#ifdef HEAPSMITH_TRACE_ZEPHYR
/* Listens to a heap: the struct sys_heap in a k_heap, HEAP_ID_LIBC for the C library's. */
void heapsmith_trace_zephyr(const void *heap);
#endif

#ifdef __cplusplus
}
#endif

#endif
