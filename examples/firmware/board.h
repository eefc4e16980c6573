/* What the firmware needs of its board, a Cortex-M3 with a debugger (or an emulator) that answers semihosting. */
#ifndef BOARD_H
#define BOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Prints through the debugger. */
void print(const char *text);
void print_number(uint32_t number);
/* A hexadecimal number of 16 digits. */
void print_hash(uint64_t hash);

/* Reads a whole file of the host; returns its bytes, of which at most `max` are read. */
size_t read_file(const char *name, char *bytes, size_t max);

/* Ends the emulator. */
_Noreturn void stop(bool succeeded);

/* Ticks of the processor's clock, counting up. */
void start_clock(void);
uint32_t ticks(void);

#endif
