/* The search unit behind a bus (rtl/page_unit_apb.sv, rtl/page_unit_axi_lite.sv): the four operations as accesses to its registers.
 *
 * `base` is where the unit's 8 KiB are in the address space: uncached, in order. A program that reaches them otherwise defines
 * PAGE_UNIT_READ(base, offset) and PAGE_UNIT_WRITE(base, offset, word) before it includes this file.
 */
#ifndef PAGE_UNIT_MMIO_H
#define PAGE_UNIT_MMIO_H

#include <stdint.h>

#include "page_unit_registers.h"

#ifndef PAGE_UNIT_READ
#define PAGE_UNIT_READ(base, offset) (*(const volatile uint32_t *)((base) + (offset)))
#define PAGE_UNIT_WRITE(base, offset, word) (*(volatile uint32_t *)((base) + (offset)) = (word))
#endif

/* Whether there is a unit at `base` for pages of `page` bytes and objects from `smallest`, both powers of two. */
static inline int page_unit_mmio_is_there(uintptr_t base, uint32_t page, uint32_t smallest) {
  const uint32_t parameters = PAGE_UNIT_READ(base, PAGE_UNIT_PARAMETERS);
  return PAGE_UNIT_READ(base, PAGE_UNIT_IDENTITY) == PAGE_UNIT_IDENTITY_VALUE &&
         (uint32_t)1 << (parameters & 0xffu) == page && (uint32_t)1 << (parameters >> 8 & 0xffu) == smallest;
}

/* Takes the first free object of the page held for a class: its number, or -1 if there is none. */
static inline int32_t page_unit_mmio_allocate(uintptr_t base, uint32_t class_) {
  return (int32_t)PAGE_UNIT_READ(base, PAGE_UNIT_ALLOCATE(class_));
}

/* Makes an object of the page held for a class free. */
static inline void page_unit_mmio_free(uintptr_t base, uint32_t class_, uint32_t object) {
  PAGE_UNIT_WRITE(base, PAGE_UNIT_FREE(class_), object);
}

/* Writes word `number` of the bitmap held for a class. */
static inline void page_unit_mmio_load(uintptr_t base, uint32_t class_, uint32_t number, uint32_t word) {
  PAGE_UNIT_WRITE(base, PAGE_UNIT_BITMAP(class_, number), word);
}

/* Reads word `number` of the bitmap held for a class. */
static inline uint32_t page_unit_mmio_store(uintptr_t base, uint32_t class_, uint32_t number) {
  return PAGE_UNIT_READ(base, PAGE_UNIT_BITMAP(class_, number));
}

#endif
