#include "machine.h"

page_heap heap;
_Alignas(4096) unsigned char region[REGION_BYTES];

/* What compilers call for arrays. */
void *memset(void *to, int byte, size_t count) {
  unsigned char *at = to;
  while (count-- > 0) {
    *at++ = (unsigned char)byte;
  }
  return to;
}

void *memcpy(void *to, const void *from, size_t count) {
  unsigned char *at = to;
  const unsigned char *source = from;
  while (count-- > 0) {
    *at++ = *source++;
  }
  return to;
}

int main(void) {
  if (!page_heap_init(&heap, region, REGION_BYTES)) {
    SIGNAL(END) = 3;
  }
#ifdef MARKED
  /* Nothing between two marks: what the marks take themselves. */
  for (int time = 0; time < 16; ++time) {
    MARK(MANAGING);
    MARK(WORKING);
  }
#endif
  SIGNAL(RESULT) = program();
  if (page_heap_check(&heap) != 0u) {
    SIGNAL(END) = 4;
  }
  SIGNAL(END) = 0;
  for (;;) {
  }
}
