/* What the example wants of its board. */
#ifndef BOARD_H
#define BOARD_H

#include <stdbool.h>
#include <stdint.h>

/* Prints a text, or a text and a number and the end of a line. */
void print(const char *text);
void print_number(const char *name, uint32_t number);

/* Ends the emulator. */
_Noreturn void stop(bool succeeded);

#endif
