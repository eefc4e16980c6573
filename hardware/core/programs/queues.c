/* Villages of patients who wait, are treated or are sent to the next village: lists of 8-byte cells and 16-byte patients, after health of
 * Olden. */
#include "machine.h"

#define VILLAGES 21u
#define STEPS 120u

struct patient {
  uint32_t steps, left, hospitals, origin;
};

struct cell {
  struct cell *next;
  struct patient *patient;
};

struct village {
  struct cell *waiting, *treated;
  uint32_t free_beds;
};

static void push(struct cell **list, struct patient *patient) {
  struct cell **at = list, *cell = take(sizeof *cell);
  while (*at != NULL) {
    at = &(*at)->next;
  }
  *cell = (struct cell){NULL, patient};
  *at = cell;
}

/* Takes the cell out and frees it. */
static struct patient *pull(struct cell **at) {
  struct cell *cell = *at;
  struct patient *patient = cell->patient;
  *at = cell->next;
  give(cell);
  return patient;
}

uint32_t program(void) {
  static struct village villages[VILLAGES];
  uint32_t state = 42, well = 0, steps = 0;
  for (uint32_t number = 0; number < VILLAGES; ++number) {
    villages[number].free_beds = 4 + number % 5;
  }
  for (uint32_t step = 0; step < STEPS; ++step) {
    for (uint32_t number = 0; number < VILLAGES; ++number) {
      struct village *village = &villages[number];
      for (struct cell **at = &village->treated; *at != NULL;) {
        struct patient *patient = (*at)->patient;
        patient->steps++;
        if (--patient->left > 0) {
          at = &(*at)->next;
          continue;
        }
        patient = pull(at);
        village->free_beds++;
        if (number > 0 && chance(&state, 10) == 0) {
          patient->hospitals++;
          push(&villages[(number - 1) / 4].waiting, patient);
        } else {
          well++;
          steps += patient->steps * patient->hospitals + patient->origin;
          give(patient);
        }
      }
      while (village->waiting != NULL && village->free_beds > 0) {
        struct patient *patient = pull(&village->waiting);
        village->free_beds--;
        patient->left = 3 + chance(&state, 10);
        push(&village->treated, patient);
      }
      for (struct cell *cell = village->waiting; cell != NULL; cell = cell->next) {
        cell->patient->steps++;
      }
      if (chance(&state, 3) == 0) {
        struct patient *patient = take(sizeof *patient);
        *patient = (struct patient){0, 0, 1, number};
        push(&village->waiting, patient);
      }
    }
  }
  return well * 1000003u + steps;
}
