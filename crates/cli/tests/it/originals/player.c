/*
 * Plays programs on an allocator of FreeRTOS, which is included and not a part of this repository:
 *
 *   cc -m32 -DORIGINAL='"heap_4.c"' -I (this folder) -I (folder of heap_4.c) player.c
 *
 * Events of 8 bytes on standard input: a slot, and a size, 0 for a free. After each event 4 bytes on standard
 * output: where the slot's block lies behind the first block of all, or all ones where there is none.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include ORIGINAL

int main(void) {
    static uint8_t *slots[1 << 16];
    uint32_t event[2];
    uint8_t *first = NULL;
    while (fread(event, sizeof event, 1, stdin) == 1) {
        if (event[0] >= 1 << 16) {
            return 1;
        }
        uint8_t **slot = &slots[event[0]];
        if (event[1] == 0) {
            vPortFree(*slot);
            *slot = NULL;
        } else {
            *slot = pvPortMalloc(event[1]);
            first = first == NULL ? *slot : first;
        }
        const uint32_t offset = *slot == NULL ? UINT32_MAX : (uint32_t)(*slot - first);
        if (fwrite(&offset, sizeof offset, 1, stdout) != 1) {
            return 1;
        }
    }
    return 0;
}
