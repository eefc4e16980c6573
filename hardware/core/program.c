/* Runs on the simulated core: the same allocations in a page of 256 objects by three searches, with the cycles of each.
 *
 * Every answer of the unit is compared with that of the software; the program ends with 0 if all agree.
 * It shows pairs of words: what was counted (a letter and a number), and how many cycles that took.
 */
#include "page_unit.h"

#define WORDS 8u
#define OBJECTS 256u

static uint32_t cycles(void) {
  uint32_t count;
  __asm__ volatile("rdcycle %0" : "=r"(count));
  return count;
}

static void show(uint32_t what, uint32_t count) {
  *(volatile uint32_t *)0x10000000u = what;
  *(volatile uint32_t *)0x10000000u = count;
}

_Noreturn static void end(uint32_t code) {
  *(volatile uint32_t *)0x20000000u = code;
  for (;;) {
  }
}

/* Word by word to one with a free object, then bit by bit: phkmalloc's search. */
__attribute__((noinline)) static int32_t by_bit(uint32_t *map) {
  for (uint32_t number = 0; number < WORDS; ++number) {
    const uint32_t word = map[number];
    if (word != 0) {
      uint32_t bit = 0;
      while ((word >> bit & 1u) == 0) {
        ++bit;
      }
      map[number] = word & ~(1u << bit);
      return (int32_t)(number * 32u + bit);
    }
  }
  return -1;
}

/* Zeros are counted by halves, as this core has no instruction for it. */
static uint32_t trailing_zeros(uint32_t word) {
  uint32_t count = 0;
  for (uint32_t half = 16; half != 0; half /= 2) {
    if ((word << (32u - half)) == 0) {
      word >>= half;
      count += half;
    }
  }
  return count;
}

__attribute__((noinline)) static int32_t by_word(uint32_t *map) {
  for (uint32_t number = 0; number < WORDS; ++number) {
    const uint32_t word = map[number];
    if (word != 0) {
      map[number] = word & (word - 1u);
      return (int32_t)(number * 32u + trailing_zeros(word));
    }
  }
  return -1;
}

__attribute__((noinline)) static int32_t by_unit(uint32_t *map) {
  (void)map;
  return page_unit_allocate(0);
}

__attribute__((noinline)) static void free_in_memory(uint32_t *map, uint32_t object) {
  map[object / 32u] |= 1u << (object % 32u);
}

__attribute__((noinline)) static void free_in_unit(uint32_t *map, uint32_t object) {
  (void)map;
  page_unit_free(0, object);
}

/* Fills a page of free objects; frees every third; takes as many: every answer into `answers`. */
static void run(uint32_t name, uint32_t *map, int32_t (*take)(uint32_t *), void (*give)(uint32_t *, uint32_t),
                int16_t *answers) {
  uint32_t from = cycles();
  for (uint32_t object = 0; object < OBJECTS; ++object) {
    *answers++ = (int16_t)take(map);
  }
  show(name << 8 | 0u, cycles() - from);
  from = cycles();
  for (uint32_t object = 0; object < OBJECTS; object += 3) {
    give(map, object);
  }
  show(name << 8 | 1u, cycles() - from);
  from = cycles();
  for (uint32_t object = 0; object < OBJECTS; object += 3) {
    *answers++ = (int16_t)take(map);
  }
  show(name << 8 | 2u, cycles() - from);
  *answers = (int16_t)take(map);
}

/* Answers of a run: the page, every third of it, and that it is full. */
#define ANSWERS (OBJECTS + (OBJECTS + 2u) / 3u + 1u)

static uint32_t map[WORDS];
static int16_t wanted[ANSWERS], got[ANSWERS];

static void all_free(void) {
  for (uint32_t number = 0; number < WORDS; ++number) {
    map[number] = ~0u;
  }
}

static void compare(uint32_t code) {
  for (uint32_t at = 0; at < ANSWERS; ++at) {
    if (wanted[at] != got[at]) {
      end(code);
    }
  }
}

/* What an instruction takes: four in a row, less none, by four. */
#define COUNT(name, instruction)                                                                              \
  do {                                                                                                        \
    const uint32_t from = cycles();                                                                           \
    __asm__ volatile(instruction "\n" instruction "\n" instruction "\n" instruction : : "r"(class_), "r"(object) : "t0"); \
    show(name, (cycles() - from - none) / 4u);                                                                \
  } while (0)

static void instructions(void) {
  const uint32_t class_ = 0, object = 7;
  const uint32_t before = cycles();
  const uint32_t none = cycles() - before;
  COUNT('i' << 8 | 0u, "add t0, %0, %1");
  COUNT('i' << 8 | 1u, "lw t0, 0(%0)");
  COUNT('i' << 8 | 2u, ".insn r 0x0b, 0, 1, x0, %0, %1");
  COUNT('i' << 8 | 3u, ".insn r 0x0b, 0, 0, t0, %0, x0");
  /* Freed four times, taken once by the first of the four: the page is full. */
  if (page_unit_allocate(0) != -1) {
    end(4);
  }
}

__attribute__((noinline)) static void load_page(void) {
  for (uint32_t number = 0; number < WORDS; ++number) {
    page_unit_load(0, number, map[number]);
  }
}

__attribute__((noinline)) static void store_page(void) {
  for (uint32_t number = 0; number < WORDS; ++number) {
    map[number] = page_unit_store(0, number);
  }
}

int main(void) {
  all_free();
  run('b', map, by_bit, free_in_memory, wanted);
  all_free();
  run('w', map, by_word, free_in_memory, got);
  compare(1);
  all_free();
  uint32_t from = cycles();
  load_page();
  show('u' << 8 | 3u, cycles() - from);
  run('u', map, by_unit, free_in_unit, got);
  compare(2);
  page_unit_free(0, 200);
  from = cycles();
  store_page();
  show('u' << 8 | 4u, cycles() - from);
  for (uint32_t number = 0; number < WORDS; ++number) {
    if (map[number] != (number == 200u / 32u ? 1u << 200 % 32 : 0u)) {
      end(3);
    }
  }
  if (page_unit_allocate(0) != 200) {
    end(5);
  }
  instructions();
  end(0);
}
