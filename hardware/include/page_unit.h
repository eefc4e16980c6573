/* The search unit as four instructions of RISC-V, in the space custom-0 (hardware/INSTRUCTION.md).
 *
 * For GNU and LLVM assemblers that know `.insn`. Each is volatile: it changes or reads the unit's state, so the compiler
 * must neither drop, repeat nor reorder them. None touches memory.
 */
#ifndef PAGE_UNIT_H
#define PAGE_UNIT_H

#include <stdint.h>

/* Takes the first free object of the page held for a class: its number, or -1 if there is none. */
static inline int32_t page_unit_allocate(uint32_t class_) {
  int32_t object;
  __asm__ volatile(".insn r 0x0b, 0, 0, %0, %1, x0" : "=r"(object) : "r"(class_));
  return object;
}

/* Makes an object of the page held for a class free. */
static inline void page_unit_free(uint32_t class_, uint32_t object) {
  __asm__ volatile(".insn r 0x0b, 0, 1, x0, %0, %1" : : "r"(class_), "r"(object));
}

/* Writes word `number` of the bitmap held for a class. */
static inline void page_unit_load(uint32_t class_, uint32_t number, uint32_t word) {
  __asm__ volatile(".insn r 0x0b, 0, 2, x0, %0, %1" : : "r"(class_ | number << 8), "r"(word));
}

/* Reads word `number` of the bitmap held for a class. */
static inline uint32_t page_unit_store(uint32_t class_, uint32_t number) {
  uint32_t word;
  __asm__ volatile(".insn r 0x0b, 0, 3, %0, %1, x0" : "=r"(word) : "r"(class_ | number << 8));
  return word;
}

#endif
