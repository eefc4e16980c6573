/* The wrapper for ThreadX, on a stand-in of its interface. */
#include "sys_heap_threadx.h"

#include <stddef.h>

static void *from_pool(size_t size)
{
    VOID *memory = NULL;
    const UINT status = sys_heap_byte_allocate(&memory, (ULONG)size, TX_NO_WAIT);

    return (status == TX_SUCCESS) ? memory : NULL;
}

static void to_pool(void *block)
{
    if (block != NULL) {
        (void)sys_heap_byte_release(block);
    }
}

#define BYTES SYS_HEAP_SYSTEM_BYTES
#define ALLOCATE(size) from_pool(size)
#define FREE(block) to_pool(block)
#include "../play.h"

unsigned int tx_interrupts_off(void)
{
    note_lock();
    return 7U;
}

void tx_interrupts_as(unsigned int before)
{
    REQUIRE(before == 7U);
    note_unlock();
}

int main(void)
{
    VOID *memory = &locks;
    ULONG whole, free_bytes, min_free_bytes;

    REQUIRE(sys_heap_byte_info(&whole, NULL) == TX_SUCCESS);
    REQUIRE(play() > 0U);
    REQUIRE(sys_heap_byte_info(&free_bytes, &min_free_bytes) == TX_SUCCESS);
    REQUIRE((free_bytes == whole) && (min_free_bytes < whole));
    REQUIRE(sys_heap_byte_allocate(NULL, 4UL, TX_NO_WAIT) == TX_PTR_ERROR);
    REQUIRE(sys_heap_byte_allocate(&memory, 0UL, TX_NO_WAIT) == TX_SIZE_ERROR);
    REQUIRE((sys_heap_byte_allocate(&memory, 1000000UL, TX_NO_WAIT) == TX_NO_MEMORY) && (memory == NULL));
    REQUIRE(sys_heap_byte_allocate(&memory, 4UL, TX_WAIT_FOREVER) == TX_WAIT_ERROR);
    REQUIRE(sys_heap_byte_release(NULL) == TX_PTR_ERROR);
    REQUIRE((locks == 0) && (max_locks == 1));
    (void)puts("as the documentation says");
    return 0;
}
