/* The wrapper for ESP-IDF, on a stand-in of its interface. */
#include "freertos/FreeRTOS.h"
#include "sys_heap_esp_idf.h"

#define BYTES SYS_HEAP_SYSTEM_BYTES
#define ALLOCATE(size) only_ours(sys_heap_caps_malloc(size, MALLOC_CAP_8BIT))
#define FREE(block) sys_heap_caps_free(block)

static void *only_ours(void *block);
#include "../play.h"

static char elsewhere[16];
static unsigned int asked_elsewhere, freed_elsewhere;

static void *only_ours(void *block)
{
    return (block == elsewhere) ? NULL : block;
}

void *heap_caps_malloc(size_t size, uint32_t caps)
{
    (void)size;
    (void)caps;
    REQUIRE(locks == 0);
    asked_elsewhere++;
    return elsewhere;
}

void heap_caps_free(void *ptr)
{
    REQUIRE(locks == 0);
    freed_elsewhere += (ptr == elsewhere) ? 1U : 0U;
}

void enter_critical(portMUX_TYPE *mux)
{
    mux->count++;
    note_lock();
}

void exit_critical(portMUX_TYPE *mux)
{
    mux->count--;
    note_unlock();
}

int main(void)
{
    const unsigned int refused = play();

    REQUIRE((refused > 0U) && (asked_elsewhere == refused) && (freed_elsewhere == 0U));
    sys_heap_caps_free(sys_heap_caps_malloc(8U, MALLOC_CAP_SPIRAM | MALLOC_CAP_8BIT));
    REQUIRE((asked_elsewhere == (refused + 1U)) && (freed_elsewhere == 1U));
    REQUIRE((locks == 0) && (max_locks == 1));
    (void)puts("as the documentation says");
    return 0;
}
