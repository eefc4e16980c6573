/* Greatest common divisors of factorials and Fibonacci numbers in exact arithmetic: each result is a block of its own, and
 * operands are freed when they have served, after cfrac. */
#include "machine.h"

struct number {
  uint32_t length;
  uint16_t digit[];
};

static struct number *blank(uint32_t length) {
  struct number *made = take(sizeof *made + 2 * length);
  made->length = length;
  for (uint32_t at = 0; at < length; ++at) {
    made->digit[at] = 0;
  }
  return made;
}

static void trim(struct number *number) {
  while (number->length > 0 && number->digit[number->length - 1] == 0) {
    number->length--;
  }
}

static struct number *small(uint32_t value) {
  struct number *made = blank(2);
  made->digit[0] = (uint16_t)value;
  made->digit[1] = (uint16_t)(value >> 16);
  trim(made);
  return made;
}

static struct number *plus(const struct number *one, const struct number *two) {
  const uint32_t length = one->length > two->length ? one->length : two->length;
  struct number *made = blank(length + 1);
  uint32_t carry = 0;
  for (uint32_t at = 0; at <= length; ++at) {
    carry += at < one->length ? one->digit[at] : 0u;
    carry += at < two->length ? two->digit[at] : 0u;
    made->digit[at] = (uint16_t)carry;
    carry >>= 16;
  }
  trim(made);
  return made;
}

static struct number *times(const struct number *one, const struct number *two) {
  struct number *made = blank(one->length + two->length);
  for (uint32_t at = 0; at < one->length; ++at) {
    uint32_t carry = 0;
    for (uint32_t other = 0; other < two->length; ++other) {
      carry += (uint32_t)one->digit[at] * two->digit[other] + made->digit[at + other];
      made->digit[at + other] = (uint16_t)carry;
      carry >>= 16;
    }
    made->digit[at + two->length] = (uint16_t)carry;
  }
  trim(made);
  return made;
}

static int below(const struct number *one, const struct number *two) {
  if (one->length != two->length) {
    return one->length < two->length;
  }
  for (uint32_t at = one->length; at-- > 0;) {
    if (one->digit[at] != two->digit[at]) {
      return one->digit[at] < two->digit[at];
    }
  }
  return 0;
}

/* What is left of a division, bit by bit. */
static struct number *remainder(const struct number *of, const struct number *by) {
  struct number *left = blank(by->length + 1);
  left->length = 0;
  for (uint32_t bit = of->length * 16; bit-- > 0;) {
    uint32_t carry = (uint32_t)(of->digit[bit / 16] >> (bit % 16) & 1);
    for (uint32_t at = 0; at < left->length; ++at) {
      carry |= (uint32_t)left->digit[at] << 1;
      left->digit[at] = (uint16_t)carry;
      carry >>= 16;
    }
    if (carry != 0) {
      left->digit[left->length++] = (uint16_t)carry;
    }
    if (!below(left, by)) {
      uint32_t borrow = 0;
      for (uint32_t at = 0; at < left->length; ++at) {
        const uint32_t less = (at < by->length ? by->digit[at] : 0u) + borrow;
        borrow = left->digit[at] < less;
        left->digit[at] = (uint16_t)(left->digit[at] - less);
      }
      trim(left);
    }
  }
  return left;
}

uint32_t program(void) {
  struct number *factorial = small(1), *now = small(1), *before = small(0);
  uint32_t seen = 0;
  for (uint32_t k = 1; k <= 30; ++k) {
    struct number *factor = small(k), *product = times(factorial, factor), *next, *one, *two;
    give(factor);
    give(factorial);
    factorial = product;
    for (uint32_t step = 0; step < 3; ++step) {
      next = plus(now, before);
      give(before);
      before = now;
      now = next;
    }
    one = plus(factorial, before);
    two = plus(now, before);
    while (two->length > 0) {
      struct number *left = remainder(one, two);
      give(one);
      one = two;
      two = left;
    }
    seen = seen * 31u + one->digit[0] + one->length;
    give(one);
    give(two);
  }
  give(factorial);
  give(now);
  give(before);
  return seen;
}
