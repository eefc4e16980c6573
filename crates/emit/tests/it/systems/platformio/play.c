/* The wrapper for platformio by itself: it needs nothing of the framework. The lock is the user's. */
#define BYTES SYS_HEAP_SYSTEM_BYTES
#define ALLOCATE(size) sys_heap_system_allocate(size, 0U)
#define FREE(block) sys_heap_system_free(block)
#include "../play.h"

unsigned int test_lock(void);
void test_unlock(unsigned int before);

unsigned int test_lock(void)
{
    note_lock();
    return 5U;
}

void test_unlock(unsigned int before)
{
    REQUIRE(before == 5U);
    note_unlock();
}

int main(void)
{
    REQUIRE(play() > 0U);
    REQUIRE((locks == 0) && (max_locks == 1));
    (void)puts("as the documentation says");
    return 0;
}
