/* A stand-in that we wrote for tests: of the published interface of NuttX, the names that the recorder uses. */
#ifndef NUTTX_SCHED_NOTE_H
#define NUTTX_SCHED_NOTE_H

#include <stdint.h>

enum { NOTE_HEAP_ADD = 1, NOTE_HEAP_REMOVE, NOTE_HEAP_ALLOC, NOTE_HEAP_FREE };

#endif
