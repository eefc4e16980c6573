/* Blocks that know what was written into them: their size at the start, a mark of it at the end. */
#ifndef BLOCK_H
#define BLOCK_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct block {
    size_t size;
} block;

static inline unsigned draw(uint64_t *state, unsigned below)
{
    *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (unsigned)(*state >> 33) % below;
}

static inline unsigned char mark_of(const block *made)
{
    return (unsigned char)(made->size * 31U + 7U);
}

/* A block of `size` bytes, at least as many as its size takes and a byte. */
static inline block *block_new(size_t size)
{
    const size_t whole = size > sizeof(block) ? size : sizeof(block) + 1;
    block *const made = malloc(whole);

    if (made == NULL) {
        fprintf(stderr, "no memory for %zu bytes\n", whole);
        exit(1);
    }
    made->size = whole;
    ((unsigned char *)made)[whole - 1] = mark_of(made);
    return made;
}

/* Frees a block, and ends the program where it is not as it was written. Returns its bytes. */
static inline size_t block_free(block *made)
{
    const size_t size = made->size;

    if (size <= sizeof(block) || ((unsigned char *)made)[size - 1] != mark_of(made)) {
        fprintf(stderr, "a block of %zu bytes is not as it was written\n", size);
        abort();
    }
    free(made);
    return size;
}

#endif
