/* {{ name }}: a harness for CBMC, the bounded model checker of C.
 *
 *     cbmc --unwind {{ 72 if zeroes else 40 }} --bounds-check --pointer-check --signed-overflow-check --undefined-shift-check proof.c {{ n }}.c
 *
 * Any contents of the region at the start, OPERATIONS operations of any kind and size, and a program that writes what it
 * wants into its blocks: no access is out of bounds, blocks do not overlap, every invariant holds.
 */
#include "{{ n }}.h"

#ifndef REGION_BYTES
#define REGION_BYTES 64U
#endif
#ifndef OPERATIONS
#define OPERATIONS 3U
#endif
#define ALIGNED {{ promised }}U

/* Any values: CBMC knows functions by these names. */
size_t nondet_size_t(void);
unsigned int nondet_unsigned_int(void);
unsigned char nondet_unsigned_char(void);

static uint64_t memory[REGION_BYTES / 8U];
#define region ((unsigned char *)memory)

int main(void)
{
    {{ n }} heap;
    unsigned char *live[OPERATIONS];
    size_t bytes[OPERATIONS];
    unsigned int blocks = 0;

    __CPROVER_havoc_object(memory);
    if (!{{ n }}_init(&heap, memory, REGION_BYTES)) {
        return 0;
    }
    for (unsigned int operation = 0; operation < OPERATIONS; operation++) {
        const size_t size = nondet_size_t();
        const unsigned int which = {{ "(blocks == 0U) ? 0U : (blocks - 1U)" if in_order else "nondet_unsigned_int()" }};

        if ((blocks > 0U) && (which < blocks) && (nondet_unsigned_int() != 0U)) {
            (void){{ n }}_free(&heap, live[which]);
            blocks--;
            live[which] = live[blocks];
            bytes[which] = bytes[blocks];
        } else {
            unsigned char *at = {{ n }}_allocate(&heap, size);

            if (at != NULL) {
                const size_t begin = (size_t)(at - region);

                __CPROVER_assert((begin < REGION_BYTES) && (size <= REGION_BYTES - begin), "a block lies in the region");
                __CPROVER_assert(begin % ALIGNED == 0U, "a block is aligned");
                for (unsigned int other = 0; other < blocks; other++) {
                    __CPROVER_assert((at + size <= live[other]) || (live[other] + bytes[other] <= at), "blocks are apart");
                }
                at[nondet_size_t() % size] = nondet_unsigned_char();
                live[blocks] = at;
                bytes[blocks] = size;
                blocks++;
            }
        }
        __CPROVER_assert({{ n }}_check(&heap) == 0U, "every invariant holds");
    }
    return 0;
}
