/* The recorder of heapsmith_trace.h.
 *
 * The stream is words of 32 bits in the order of the board. An event has two:
 *
 *     31                               0   31   28 27   24 23                       0
 *     ├─ address, or as the kind says ─┤   ├ kind ┼ check ┼─ size, or 0 ─────────────┤
 *
 * The check makes the exclusive or of all 16 digits of an event zero. Before the first event, after every 256 and at the
 * end there is a mark of six words, so that a reader can begin anywhere and counts what a link lost:
 *
 *     "HEAP" "SMIT"   events sent   version, flags, check   ticks a second   events lost
 *
 * | kind | first word | the other 24 bits |
 * |---|---|---|
 * | 1 allocate | address, 0 if refused | size |
 * | 2 free | address | |
 * | 3 from | the old address of the reallocation that follows | |
 * | 4 reallocate | new address, 0 if refused | size |
 * | 5 size | the size of the request that follows, which does not fit; its own bits 32 and up | |
 * | 6 alignment | of the allocation that follows | |
 * | 7 lost | events that were lost here | |
 * | 8 time | ticks | |
 * | 9 task | its number | |
 * | 10 site | address of the caller | |
 * | 11 high | bits 32 and up of the addresses that follow | |
 *
 * The ring has one writer at a time (the hooks hold a lock) and one reader (drain). The writer changes `written`, the reader
 * `read`; both count events and wrap. A processor that stores 32 bits in parts has to keep hooks out of drain where they
 * come from interrupts. */
#ifdef HEAPSMITH_TRACE_CONFIG
#include HEAPSMITH_TRACE_CONFIG
#endif
#include "heapsmith_trace.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#if CHAR_BIT != 8
#error "the recorder needs bytes of 8 bits"
#endif

/* ---- Options ---- */

#ifndef HEAPSMITH_TRACE_EVENTS
#define HEAPSMITH_TRACE_EVENTS 256U
#endif
#if (HEAPSMITH_TRACE_EVENTS < 16U) || ((HEAPSMITH_TRACE_EVENTS & (HEAPSMITH_TRACE_EVENTS - 1U)) != 0U)
#error "HEAPSMITH_TRACE_EVENTS is a power of two from 16 on"
#endif
/* Events that a single request takes at most. */
#ifndef HEAPSMITH_TRACE_REQUEST
#define HEAPSMITH_TRACE_REQUEST 10U
#endif
#ifndef HEAPSMITH_TRACE_HZ
#define HEAPSMITH_TRACE_HZ 0U
#endif
#ifndef HEAPSMITH_TRACE_CHANNEL
#define HEAPSMITH_TRACE_CHANNEL 1U
#endif
#ifndef HEAPSMITH_TRACE_PATH
#define HEAPSMITH_TRACE_PATH "heap.trace"
#endif
/* Writes before it are seen before writes behind it. */
#ifndef HEAPSMITH_TRACE_BARRIER
#ifdef __GNUC__
#define HEAPSMITH_TRACE_BARRIER() __sync_synchronize()
#else
#error "define HEAPSMITH_TRACE_BARRIER(): a memory barrier of the compiler, and on several cores of the processor"
#endif
#endif

/* What is on the way of every event is compiled in place, for size too: calls would double its instructions. */
#ifdef __GNUC__
#define IN_PLACE static inline __attribute__((always_inline))
#else
#define IN_PLACE static inline
#endif

/* ---- Links: write(bytes, count) takes what it can at once, and returns how many bytes that was. ---- */

#if defined(HEAPSMITH_TRACE_WRITE)
size_t HEAPSMITH_TRACE_WRITE(const unsigned char *bytes, size_t count);
#elif defined(HEAPSMITH_TRACE_RTT)
unsigned int SEGGER_RTT_Write(unsigned int channel, const void *bytes, unsigned int count);

static size_t link_write(const unsigned char *bytes, size_t count)
{
    return SEGGER_RTT_Write(HEAPSMITH_TRACE_CHANNEL, bytes, (unsigned int)count);
}
#define HEAPSMITH_TRACE_WRITE link_write
#elif defined(HEAPSMITH_TRACE_ITM)
/* The Instrumentation Trace Macrocell of Armv7-M: a port reads as 1 while it takes a byte, and as 0 where it is off. */
static size_t link_write(const unsigned char *bytes, size_t count)
{
    volatile uint32_t *const port = (volatile uint32_t *)(uintptr_t)(0xE0000000U + (4U * HEAPSMITH_TRACE_CHANNEL));
    size_t sent = 0U;

    while ((sent < count) && ((*port & 1U) != 0U)) {
        *(volatile uint8_t *)port = bytes[sent];
        sent++;
    }
    return sent;
}
#define HEAPSMITH_TRACE_WRITE link_write
#elif defined(HEAPSMITH_TRACE_UART)
#ifndef HEAPSMITH_TRACE_READY
#define HEAPSMITH_TRACE_READY() true
#endif
static size_t link_write(const unsigned char *bytes, size_t count)
{
    size_t sent = 0U;

    while ((sent < count) && HEAPSMITH_TRACE_READY()) {
        HEAPSMITH_TRACE_PUT(bytes[sent]);
        sent++;
    }
    return sent;
}
#define HEAPSMITH_TRACE_WRITE link_write
#elif defined(HEAPSMITH_TRACE_FILE)
#include <stdio.h>

static size_t link_write(const unsigned char *bytes, size_t count)
{
    static FILE *file = NULL;
    size_t sent = 0U;

    if (file == NULL) {
        file = fopen(HEAPSMITH_TRACE_PATH, "wb");
    }
    if (file != NULL) {
        sent = fwrite(bytes, 1U, count, file);
        (void)fflush(file);
    }
    return sent;
}
#define HEAPSMITH_TRACE_WRITE link_write
#elif defined(HEAPSMITH_TRACE_SEMIHOST)
/* Arm, Semihosting for AArch32 and AArch64; RISC-V International, RISC-V Semihosting: SYS_OPEN, SYS_WRITE. */
static intptr_t host(intptr_t operation, const void *arguments)
{
#if defined(__riscv)
    register intptr_t number __asm__("a0") = operation;
    register const void *block __asm__("a1") = arguments;

    __asm__ volatile(".balign 16\n .option push\n .option norvc\n slli x0, x0, 0x1f\n ebreak\n srai x0, x0, 7\n .option pop"
                     : "+r"(number)
                     : "r"(block)
                     : "memory");
#else
    register intptr_t number __asm__("r0") = operation;
    register const void *block __asm__("r1") = arguments;

    __asm__ volatile("bkpt 0xAB" : "+r"(number) : "r"(block) : "memory");
#endif
    return number;
}

static size_t link_write(const unsigned char *bytes, size_t count)
{
    static const char path[] = HEAPSMITH_TRACE_PATH;
    static intptr_t file = -1;
    size_t sent = 0U;

    if (file < 0) {
        const uintptr_t open[3] = { (uintptr_t)path, 5U /* wb */, sizeof(path) - 1U };

        file = host(0x01, open);
    }
    if (file >= 0) {
        const uintptr_t write[3] = { (uintptr_t)file, (uintptr_t)bytes, count };

        sent = count - (size_t)host(0x05, write);
    }
    return sent;
}
#define HEAPSMITH_TRACE_WRITE link_write
#else
#error "define a link: HEAPSMITH_TRACE_RTT, _ITM, _UART, _FILE, _SEMIHOST or _WRITE"
#endif

/* ---- What a system has for a lock ---- */

#ifdef HEAPSMITH_TRACE_ZEPHYR
#include <zephyr/kernel.h>
#include <zephyr/sys/heap_listener.h>
#ifndef HEAPSMITH_TRACE_LOCK
#define HEAPSMITH_TRACE_LOCK() const unsigned int locked = irq_lock()
#define HEAPSMITH_TRACE_UNLOCK() irq_unlock(locked)
#endif
#endif

#ifdef HEAPSMITH_TRACE_FREERTOS_WRAP
#include "FreeRTOS.h"
#include "task.h"
#endif

#ifdef HEAPSMITH_TRACE_ESP_IDF
#include <freertos/FreeRTOS.h>

static portMUX_TYPE heapsmith_trace_mutex = portMUX_INITIALIZER_UNLOCKED;
#ifndef HEAPSMITH_TRACE_LOCK
#define HEAPSMITH_TRACE_LOCK() portENTER_CRITICAL_SAFE(&heapsmith_trace_mutex)
#define HEAPSMITH_TRACE_UNLOCK() portEXIT_CRITICAL_SAFE(&heapsmith_trace_mutex)
#endif
#endif

#ifndef HEAPSMITH_TRACE_LOCK
#define HEAPSMITH_TRACE_LOCK() (void)0
#define HEAPSMITH_TRACE_UNLOCK() (void)0
#endif

/* ---- The ring ---- */

enum kind {
    ALLOCATE = 1,
    FREE,
    FROM,
    REALLOCATE,
    SIZE,
    ALIGNMENT,
    LOST,
    TIME,
    TASK,
    SITE,
    HIGH
};

#define MAX_SIZE 0xFFFFFFU

static struct {
    /* Words of the events. */
    uint32_t ring[2U * HEAPSMITH_TRACE_EVENTS];
    /* Events written since the start, and read. */
    volatile uint32_t written;
    volatile uint32_t read;
    /* Events that were lost, and of how many the stream says so in their place. */
    volatile uint32_t lost;
    uint32_t told;
    /* What the stream said last, of each thing that is said where it changes. */
#if UINTPTR_MAX > 0xFFFFFFFFU
    uint32_t high;
#endif
#ifdef HEAPSMITH_TRACE_CLOCK
    uint32_t time;
#endif
#ifdef HEAPSMITH_TRACE_TASK
    uint32_t task;
#endif
#ifdef HEAPSMITH_TRACE_SITE
    uint32_t site;
#endif
} trace;

/* Writes an event behind `at`; returns the place behind it. */
static uint32_t put(uint32_t at, enum kind kind, uint32_t first, uint32_t low)
{
    uint32_t *const event = &trace.ring[2U * (at & (HEAPSMITH_TRACE_EVENTS - 1U))];
    uint32_t second = ((uint32_t)kind << 28) | low;
    uint32_t check = first ^ second;

    check ^= check >> 16;
    check ^= check >> 8;
    check ^= check >> 4;
    second |= (check & 0xFU) << 24;
    event[0] = first;
    event[1] = second;
    return at + 1U;
}

/* Writes what has to be said before a request: what was lost, when it is, and who asks. */
IN_PLACE uint32_t put_context(uint32_t at)
{
    if (trace.told != trace.lost) {
        at = put(at, LOST, trace.lost - trace.told, 0U);
        trace.told = trace.lost;
    }
#ifdef HEAPSMITH_TRACE_CLOCK
    {
        const uint32_t time = (uint32_t)HEAPSMITH_TRACE_CLOCK();

        if (time != trace.time) {
            trace.time = time;
            at = put(at, TIME, time, 0U);
        }
    }
#endif
#ifdef HEAPSMITH_TRACE_TASK
    {
        const uint32_t task = (uint32_t)HEAPSMITH_TRACE_TASK();

        if (task != trace.task) {
            trace.task = task;
            at = put(at, TASK, task, 0U);
        }
    }
#endif
#ifdef HEAPSMITH_TRACE_SITE
    {
        const uint32_t site = (uint32_t)HEAPSMITH_TRACE_SITE();

        if (site != trace.site) {
            trace.site = site;
            at = put(at, SITE, site, 0U);
        }
    }
#endif
    return at;
}

/* Whether the ring has room for a request; counts it as lost if not. */
IN_PLACE bool has_room(void)
{
    const bool has = (trace.written - trace.read) <= (HEAPSMITH_TRACE_EVENTS - HEAPSMITH_TRACE_REQUEST);

    if (!has) {
        trace.lost = trace.lost + 1U;
    }
    return has;
}

/* What is at the address of a block, with its high half said before it. */
IN_PLACE uint32_t put_block(uint32_t at, enum kind kind, const void *block, uint32_t low)
{
    const uintptr_t address = (uintptr_t)block;

#if UINTPTR_MAX > 0xFFFFFFFFU
    const uint32_t high = (uint32_t)(address >> 32);

    if (high != trace.high) {
        trace.high = high;
        at = put(at, HIGH, high, 0U);
    }
#endif
    return put(at, kind, (uint32_t)address, low);
}

/* The request itself; its size before it where that does not fit. */
IN_PLACE uint32_t put_sized(uint32_t at, enum kind kind, const void *block, size_t size)
{
#if SIZE_MAX > MAX_SIZE
    if (size >= MAX_SIZE) {
#if SIZE_MAX > 0xFFFFFFFFU
        const uint32_t high = (uint32_t)(size >> 32) & MAX_SIZE;
#else
        const uint32_t high = 0U;
#endif

        at = put(at, SIZE, (uint32_t)size, high);
        size = MAX_SIZE;
    }
#endif
    return put_block(at, kind, block, (uint32_t)size);
}

/* The reader sees events whole. */
IN_PLACE void publish(uint32_t at)
{
    HEAPSMITH_TRACE_BARRIER();
    trace.written = at;
}

void heapsmith_trace_allocate(const void *block, size_t size, size_t alignment)
{
    HEAPSMITH_TRACE_LOCK();
    if (has_room()) {
        uint32_t at = put_context(trace.written);

        if (alignment > 0U) {
            at = put(at, ALIGNMENT, (uint32_t)alignment, 0U);
        }
        publish(put_sized(at, ALLOCATE, block, size));
    }
    HEAPSMITH_TRACE_UNLOCK();
}

void heapsmith_trace_reallocate(const void *old, const void *block, size_t size)
{
    HEAPSMITH_TRACE_LOCK();
    if (has_room()) {
        uint32_t at = put_context(trace.written);

        at = put_block(at, FROM, old, 0U);
        publish(put_sized(at, REALLOCATE, block, size));
    }
    HEAPSMITH_TRACE_UNLOCK();
}

void heapsmith_trace_free(const void *block)
{
    if (block != NULL) {
        HEAPSMITH_TRACE_LOCK();
        if (has_room()) {
            publish(put_block(put_context(trace.written), FREE, block, 0U));
        }
        HEAPSMITH_TRACE_UNLOCK();
    }
}

unsigned long heapsmith_trace_lost(void)
{
    return trace.lost;
}

/* ---- Sending ---- */

#define VERSION ((uint32_t)1)
#define WORDS_OF_MARK 6U
#define EVENTS_TO_MARK 256U
#define IS_END 1U

static struct {
    uint32_t mark[WORDS_OF_MARK];
    /* Bytes of the mark that are still to be sent, and bytes of the next event that were. */
    size_t mark_left;
    size_t event_sent;
    /* Events that were sent before the last mark, and what it said was lost. */
    uint32_t marked;
    uint32_t lost;
    bool has_begun;
} sending;

static void make_mark(uint32_t flags)
{
    uint32_t *const mark = sending.mark;
    uint32_t check;

    mark[0] = 0x48454150U;
    mark[1] = 0x534D4954U;
    mark[2] = trace.read;
    mark[3] = (VERSION << 24) | (flags << 8);
    mark[4] = HEAPSMITH_TRACE_HZ;
    mark[5] = trace.lost;
    check = mark[2] ^ mark[3] ^ mark[4] ^ mark[5];
    check ^= check >> 16;
    check ^= check >> 8;
    mark[3] |= check & 0xFFU;
    sending.mark_left = sizeof(sending.mark);
    sending.marked = mark[2];
    sending.lost = mark[5];
    sending.has_begun = true;
}

/* Sends bytes of the mark; whether none is left. */
static bool send_mark(size_t *sent)
{
    const unsigned char *const end = (const unsigned char *)(sending.mark + WORDS_OF_MARK);

    if (sending.mark_left > 0U) {
        const size_t taken = HEAPSMITH_TRACE_WRITE(end - sending.mark_left, sending.mark_left);

        *sent += taken;
        sending.mark_left -= taken;
    }
    return sending.mark_left == 0U;
}

/* Sends events that lie one after another in the ring, to the next mark at most; whether the link took all of them. */
static bool send_events(size_t *sent)
{
    const uint32_t at = trace.read;
    const uint32_t place = at & (HEAPSMITH_TRACE_EVENTS - 1U);
    uint32_t count = trace.written - at;
    size_t taken;
    size_t left;

    if (count > (HEAPSMITH_TRACE_EVENTS - place)) {
        count = HEAPSMITH_TRACE_EVENTS - place;
    }
    if (count > (EVENTS_TO_MARK - (at - sending.marked))) {
        count = EVENTS_TO_MARK - (at - sending.marked);
    }
    HEAPSMITH_TRACE_BARRIER();
    left = ((size_t)count * 8U) - sending.event_sent;
    taken = HEAPSMITH_TRACE_WRITE((const unsigned char *)&trace.ring[2U * place] + sending.event_sent, left);
    *sent += taken;
    HEAPSMITH_TRACE_BARRIER();
    trace.read = at + (uint32_t)((sending.event_sent + taken) / 8U);
    sending.event_sent = (sending.event_sent + taken) % 8U;
    return taken == left;
}

size_t heapsmith_trace_drain(void)
{
    size_t sent = 0U;
    bool takes = true;

    while (takes) {
        const bool is_empty = trace.written == trace.read;
        const bool is_due = (trace.read - sending.marked) >= EVENTS_TO_MARK;

        if ((sending.mark_left == 0U) && (sending.event_sent == 0U)
            && (!sending.has_begun || is_due || (is_empty && (trace.lost != sending.lost)))) {
            make_mark(0U);
        }
        if (sending.mark_left > 0U) {
            takes = send_mark(&sent);
        } else if (is_empty) {
            break;
        } else {
            takes = send_events(&sent);
        }
    }
    return sent;
}

void heapsmith_trace_finish(void)
{
    size_t nothing = 0U;

    while (!sending.has_begun || (sending.mark_left > 0U) || (trace.written != trace.read)) {
        (void)heapsmith_trace_drain();
    }
    make_mark(IS_END);
    while (!send_mark(&nothing)) {
    }
}

/* ---- Systems ---- */

#ifdef HEAPSMITH_TRACE_FREERTOS
/* Bytes of the header that heap_2.c, heap_4.c and heap_5.c add to a request: a link and a size, rounded up to the alignment. */
#ifndef HEAPSMITH_TRACE_HEADER
#define HEAPSMITH_TRACE_HEADER 8U
#endif

void heapsmith_trace_freertos(const void *block, size_t size)
{
    heapsmith_trace_allocate(block, (size > HEAPSMITH_TRACE_HEADER) ? (size - HEAPSMITH_TRACE_HEADER) : size, 0U);
}
#endif

#ifdef HEAPSMITH_TRACE_FREERTOS_WRAP
void *__real_pvPortMalloc(size_t size);
void *__real_pvPortCalloc(size_t count, size_t size);
void __real_vPortFree(void *block);
void *__wrap_pvPortMalloc(size_t size);
void *__wrap_pvPortCalloc(size_t count, size_t size);
void __wrap_vPortFree(void *block);

/* No other task runs between what happens and what is recorded, so that the order is the same. */
void *__wrap_pvPortMalloc(size_t size)
{
    void *block;

    vTaskSuspendAll();
    block = __real_pvPortMalloc(size);
    heapsmith_trace_allocate(block, size, 0U);
    (void)xTaskResumeAll();
    return block;
}

void *__wrap_pvPortCalloc(size_t count, size_t size)
{
    const bool fits = (size == 0U) || (count <= (SIZE_MAX / size));
    void *block;

    vTaskSuspendAll();
    block = __real_pvPortCalloc(count, size);
    heapsmith_trace_allocate(block, fits ? (count * size) : SIZE_MAX, 0U);
    (void)xTaskResumeAll();
    return block;
}

void __wrap_vPortFree(void *block)
{
    vTaskSuspendAll();
    heapsmith_trace_free(block);
    __real_vPortFree(block);
    (void)xTaskResumeAll();
}
#endif

#ifdef HEAPSMITH_TRACE_NEWLIB
#include <reent.h>

void __malloc_lock(struct _reent *r);
void __malloc_unlock(struct _reent *r);
void *__real__malloc_r(struct _reent *r, size_t size);
void *__real__calloc_r(struct _reent *r, size_t count, size_t size);
void *__real__realloc_r(struct _reent *r, void *old, size_t size);
void *__real__memalign_r(struct _reent *r, size_t alignment, size_t size);
void __real__free_r(struct _reent *r, void *block);
void *__wrap__malloc_r(struct _reent *r, size_t size);
void *__wrap__calloc_r(struct _reent *r, size_t count, size_t size);
void *__wrap__realloc_r(struct _reent *r, void *old, size_t size);
void *__wrap__memalign_r(struct _reent *r, size_t alignment, size_t size);
void __wrap__free_r(struct _reent *r, void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_memalign(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __wrap_free(void *block);
/* The functions of the library call each other: only the outermost is recorded. The lock of newlib is recursive. */
#define REENT_ r,
#define PARAMETER struct _reent *r,
#define REAL(name) __real__##name##_r
#define WRAP(name) __wrap__##name##_r
#define ENTER() __malloc_lock(r)
#define LEAVE() __malloc_unlock(r)
#endif

#ifdef HEAPSMITH_TRACE_LIBC
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_memalign(size_t alignment, size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_memalign(size_t alignment, size_t size);
void __wrap_free(void *block);
#define REENT_
#define PARAMETER
#define REAL(name) __real_##name
#define WRAP(name) __wrap_##name
#define ENTER() HEAPSMITH_TRACE_ENTER()
#define LEAVE() HEAPSMITH_TRACE_LEAVE()
/* What lets one task at a time into the C library's heap, if several call it. */
#ifndef HEAPSMITH_TRACE_ENTER
#define HEAPSMITH_TRACE_ENTER() (void)0
#define HEAPSMITH_TRACE_LEAVE() (void)0
#endif
#endif

#ifdef WRAP
static unsigned int depth;

void *WRAP(malloc)(PARAMETER size_t size)
{
    void *block;

    ENTER();
    depth++;
    block = REAL(malloc)(REENT_ size);
    depth--;
    if (depth == 0U) {
        heapsmith_trace_allocate(block, size, 0U);
    }
    LEAVE();
    return block;
}

void *WRAP(calloc)(PARAMETER size_t count, size_t size)
{
    void *block;

    ENTER();
    depth++;
    block = REAL(calloc)(REENT_ count, size);
    depth--;
    if (depth == 0U) {
        const bool fits = (size == 0U) || (count <= (SIZE_MAX / size));

        heapsmith_trace_allocate(block, fits ? (count * size) : SIZE_MAX, 0U);
    }
    LEAVE();
    return block;
}

void *WRAP(realloc)(PARAMETER void *old, size_t size)
{
    void *block;

    ENTER();
    depth++;
    block = REAL(realloc)(REENT_ old, size);
    depth--;
    if (depth == 0U) {
        heapsmith_trace_reallocate(old, block, size);
    }
    LEAVE();
    return block;
}

void *WRAP(memalign)(PARAMETER size_t alignment, size_t size)
{
    void *block;

    ENTER();
    depth++;
    block = REAL(memalign)(REENT_ alignment, size);
    depth--;
    if (depth == 0U) {
        heapsmith_trace_allocate(block, size, alignment);
    }
    LEAVE();
    return block;
}

void WRAP(free)(PARAMETER void *block)
{
    ENTER();
    if (depth == 0U) {
        heapsmith_trace_free(block);
    }
    depth++;
    REAL(free)(REENT_ block);
    depth--;
    LEAVE();
}
#endif

#ifdef HEAPSMITH_TRACE_NEWLIB
/* A heap in the place of newlib's need not go by its functions for one task. */
void *__wrap_malloc(size_t size)
{
    return __wrap__malloc_r(_REENT, size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return __wrap__calloc_r(_REENT, count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return __wrap__realloc_r(_REENT, old, size);
}

void *__wrap_memalign(size_t alignment, size_t size)
{
    return __wrap__memalign_r(_REENT, alignment, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return __wrap__memalign_r(_REENT, alignment, size);
}

void __wrap_free(void *block)
{
    __wrap__free_r(_REENT, block);
}
#endif

#ifdef HEAPSMITH_TRACE_ZEPHYR
/* Zephyr tells the bytes of the chunk, which may be more than was asked for. */
static void zephyr_allocated(uintptr_t heap, void *block, size_t size)
{
    (void)heap;
    heapsmith_trace_allocate(block, size, 0U);
}

static void zephyr_freed(uintptr_t heap, void *block, size_t size)
{
    (void)heap;
    (void)size;
    heapsmith_trace_free(block);
}

void heapsmith_trace_zephyr(const void *heap)
{
    static HEAP_LISTENER_ALLOC_DEFINE(allocated, 0U, zephyr_allocated);
    static HEAP_LISTENER_FREE_DEFINE(freed, 0U, zephyr_freed);

    allocated.heap_id = HEAP_ID_FROM_POINTER(heap);
    freed.heap_id = HEAP_ID_FROM_POINTER(heap);
    heap_listener_register(&allocated);
    heap_listener_register(&freed);
}
#endif

#ifdef HEAPSMITH_TRACE_ESP_IDF
void esp_heap_trace_alloc_hook(void *block, size_t size, uint32_t capabilities);
void esp_heap_trace_free_hook(void *block);

void esp_heap_trace_alloc_hook(void *block, size_t size, uint32_t capabilities)
{
    (void)capabilities;
    heapsmith_trace_allocate(block, size, 0U);
}

void esp_heap_trace_free_hook(void *block)
{
    heapsmith_trace_free(block);
}
#endif

#ifdef HEAPSMITH_TRACE_THREADX
#include "tx_api.h"

UINT __real__tx_byte_allocate(TX_BYTE_POOL *pool, VOID **block, ULONG size, ULONG wait);
UINT __real__tx_byte_release(VOID *block);
UINT __wrap__tx_byte_allocate(TX_BYTE_POOL *pool, VOID **block, ULONG size, ULONG wait);
UINT __wrap__tx_byte_release(VOID *block);

UINT __wrap__tx_byte_allocate(TX_BYTE_POOL *pool, VOID **block, ULONG size, ULONG wait)
{
    const UINT status = __real__tx_byte_allocate(pool, block, size, wait);
    TX_INTERRUPT_SAVE_AREA

    TX_DISABLE
    heapsmith_trace_allocate((status == TX_SUCCESS) ? *block : TX_NULL, size, 0U);
    TX_RESTORE
    return status;
}

UINT __wrap__tx_byte_release(VOID *block)
{
    TX_INTERRUPT_SAVE_AREA

    TX_DISABLE
    heapsmith_trace_free(block);
    TX_RESTORE
    return __real__tx_byte_release(block);
}
#endif

#ifdef HEAPSMITH_TRACE_NUTTX
#include <nuttx/sched_note.h>

void __real_sched_note_heap(uint8_t event, void *heap, void *block, size_t size, size_t used);
void __wrap_sched_note_heap(uint8_t event, void *heap, void *block, size_t size, size_t used);

/* Called while the heap's lock is held. The size is that of the chunk, with its header. */
void __wrap_sched_note_heap(uint8_t event, void *heap, void *block, size_t size, size_t used)
{
    if (event == NOTE_HEAP_ALLOC) {
        heapsmith_trace_allocate(block, size, 0U);
    } else if (event == NOTE_HEAP_FREE) {
        heapsmith_trace_free(block);
    } else {
        /* Memory that a heap gets or loses is no request. */
    }
    __real_sched_note_heap(event, heap, block, size, used);
}
#endif
