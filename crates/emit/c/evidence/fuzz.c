/* {{ name }}: programs of bytes that nobody thought of.
 *
 * With -fsanitize=fuzzer of clang, libFuzzer looks for inputs that take new ways; else, compiled with FUZZ_ALONE:
 *
 *     fuzz [PROGRAMS [SEED]]
 *
 * plays random ones. The first two bytes are the length of the region, every three more an operation. After every operation
 * every invariant is verified, and blocks lie inside the region, are aligned, apart, and hold what was written into them.
 * Aborts where one of these does not hold.
 */
#include "{{ n }}.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALIGNED {{ promised }}U
#define LONGEST 65536U
#define BLOCKS 96U

struct block {
    unsigned char *at;
    size_t size;
    unsigned char mark;
};

static union {
    uint64_t aligned[LONGEST / 8U];
    unsigned char bytes[LONGEST];
} memory __attribute__((aligned(4096)));
#define region memory.bytes

static {{ n }} heap;
static struct block live[BLOCKS];
static size_t blocks, length;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void must(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "VIOLATION in a region of %zu bytes with %zu blocks: %s\n", length, blocks, what);
        abort();
    }
}

static bool holds(const struct block *block, size_t bytes)
{
    for (size_t at = 0; at < bytes; at++) {
        if (block->at[at] != block->mark) {
            return false;
        }
    }
    return true;
}

static void verify(void)
{
    must({{ n }}_check(&heap) == 0U, "an invariant is broken");
    for (size_t one = 0; one < blocks; one++) {
        const size_t at = (size_t)(live[one].at - region);

        must((at < length) && (live[one].size <= length - at), "a block lies outside of the region");
        must(at % ALIGNED == 0U, "a block is not aligned");
        must({{ n }}_usable_size(&heap, live[one].at) >= live[one].size, "a block is smaller than asked for");
        must(holds(&live[one], live[one].size), "a block does not hold what was written into it");
    }
}

/* Notes a block, which was handed out, and writes into it. Blocks that overlap no longer hold what was written. */
static void note(struct block *block, void *at, size_t size)
{
    block->at = at;
    block->size = size;
    must((block->at >= region) && (size <= length) && (block->at <= region + length - size), "a block lies outside of the region");
    memset(at, block->mark, size);
}

static void play(unsigned int what, size_t size, size_t which)
{
    static unsigned char mark;

    if ((what < 5U) && (blocks < BLOCKS)) {
        const size_t alignment = (what == 0U) ? ((size_t)1 << (size % 8U)) : 0U;
        void *at = (what == 0U) ? {{ n }}_allocate_aligned(&heap, size, alignment) : {{ n }}_allocate(&heap, size);

        must((size != 0U) || (at == NULL), "a request for 0 bytes was served");
        if (at != NULL) {
            must((alignment == 0U) || ((uintptr_t)at % alignment == 0U), "a block is not aligned as asked for");
            mark++;
            live[blocks].mark = mark;
            note(&live[blocks], at, size);
            blocks++;
        }
    } else if (blocks > 0U) {
        struct block *block = &live[{{ "blocks - 1U" if in_order else "which % blocks" }}];

        if (what == 5U) {
            void *at = {{ n }}_reallocate(&heap, block->at, size, 0);

            if (at != NULL) {
                block->at = at;
                must(holds(block, (size < block->size) ? size : block->size), "reallocating did not keep the contents");
                note(block, at, size);
            }
        } else {
            (void){{ n }}_free(&heap, block->at);
            blocks--;
{%- if in_order %}
            (void)which;
{%- else %}
            *block = live[blocks];
{%- endif %}
        }
    } else {
        (void){{ n }}_free(&heap, NULL);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    if (bytes < 2U) {
        return 0;
    }
    length = (size_t)data[0] | ((size_t)data[1] << 8);
    memset(region, 0xA5, length);
    blocks = 0;
    if (!{{ n }}_init(&heap, region, length)) {
        return 0;
    }
    for (size_t at = 2; at + 3U <= bytes; at += 3U) {
        const size_t size = (data[at + 1U] < 200U) ? data[at + 1U] : ((size_t)(data[at + 1U] - 199U) * data[at + 2U]);

        play(data[at] % 8U, size, data[at + 2U]);
        verify();
    }
    return 0;
}
{% raw %}
#ifdef FUZZ_ALONE
#include <unistd.h>

/* A program of 500 operations that takes this long does not end. */
#ifndef HANG_SECONDS
#define HANG_SECONDS 60
#endif

int main(int arguments, char **argument)
{
    const unsigned long programs = (arguments > 1) ? strtoul(argument[1], NULL, 10) : 2000UL;
    uint64_t random = (arguments > 2) ? strtoul(argument[2], NULL, 10) : 1U;
    static uint8_t data[1502];

    for (unsigned long program = 0; program < programs; program++) {
        for (size_t at = 0; at < sizeof data; at++) {
            random = random * 6364136223846793005U + 1442695040888963407U;
            data[at] = (uint8_t)(random >> 33);
        }
        /* Short regions are full soon. */
        data[1] = (uint8_t)(data[1] >> (program % 7U));
        (void)alarm(HANG_SECONDS);
        (void)LLVMFuzzerTestOneInput(data, sizeof data);
    }
    printf("%lu random programs of 500 operations, no violation\n", programs);
    return 0;
}
#endif
{% endraw %}
