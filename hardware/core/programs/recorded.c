/* What a recorded program requested and freed. The test bench puts the trace at TRACE:
 *
 *   an event is a word, what is done in its lowest two bits and the number of the block above them; TAKE and CHANGE have the size in a second
 *
 * A block is written whole when it is taken, and its first word is read before it is freed, as little as any program does with one. What the
 * program did besides is not recorded.
 */
#include "machine.h"

#define TRACE ((const uint32_t *)(24u << 20))
enum { LAST, TAKE, GIVE, CHANGE };

#define BLOCKS (1u << 17)
static unsigned char *blocks[BLOCKS];

static void write(unsigned char *block, uint32_t size) {
  uint32_t *word = (uint32_t *)block;
  for (uint32_t at = 0; at < (size + 3) / 4; ++at) {
    word[at] = size;
  }
}

uint32_t program(void) {
  uint32_t seen = 0;
  for (const uint32_t *event = TRACE;; ++event) {
    const uint32_t number = *event >> 2;
    switch (*event & 3) {
    case TAKE:
      blocks[number] = take(*++event);
      write(blocks[number], *event);
      seen = seen * 31u + (uint32_t)(blocks[number] - region);
      break;
    case CHANGE:
      blocks[number] = change(blocks[number], *++event);
      seen = seen * 31u + (uint32_t)(blocks[number] - region);
      break;
    case GIVE:
      seen += *(const volatile uint32_t *)blocks[number] & 1u;
      give(blocks[number]);
      break;
    default:
      return seen;
    }
  }
}
