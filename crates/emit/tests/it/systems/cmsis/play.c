/* The wrapper for CMSIS-RTOS2, on a stand-in of its interface. */
#include "cmsis_os2.h"

#define BYTES SYS_HEAP_SYSTEM_BYTES
#define ALLOCATE(size) sys_heap_system_allocate(size, 0U)
#define FREE(block) sys_heap_system_free(block)
#include "../play.h"

int32_t osKernelLock(void)
{
    note_lock();
    return locks - 1;
}

int32_t osKernelRestoreLock(int32_t lock)
{
    note_unlock();
    REQUIRE(lock == locks);
    return lock;
}

int main(void)
{
    REQUIRE(play() > 0U);
    /* The application holds the lock itself. */
    (void)osKernelLock();
    sys_heap_system_free(sys_heap_system_reallocate(sys_heap_system_allocate(100U, 64U), 200U, 64U));
    (void)osKernelRestoreLock(0);
    REQUIRE((locks == 0) && (max_locks == 2));
    (void)puts("as the documentation says");
    return 0;
}
