/* Programs with heap errors, one for each row of `programs`: `heap_errors NUMBER` is one of them, `heap_errors` alone lists all.

   A program returns what became of it, if nothing stopped it: the heap refused a request that it must refuse, a block held
   nothing of what was freed before, or the error passed unnoticed. */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <new>
#include <pthread.h>

enum Outcome { PASSED, REFUSED, CLEARED };

/* A block of up to 32 bytes, one that fills no multiple of 16, one of nearly a page, and one of many. */
static const size_t SMALL = 32, ODD = 100, MEDIUM = 4000, PAGE = 4096, LARGE = 100000;

static volatile char sink;
static char global[64];
static char *volatile leaked;

/* Nothing is known about what these return or take, so no compiler finds the error. */
__attribute__((noinline)) static char *make(size_t size) {
    char *block = (char *)malloc(size);
    if (!block)
        abort();
    return block;
}
__attribute__((noinline)) static void drop(void *block) { free(block); }

static void write_to(char *block, long from, long to) {
    for (volatile char *byte = block + from, *end = block + to; byte < end; byte++)
        *byte = 'x';
}
static void read_from(char *block, long from, long to) {
    for (volatile char *byte = block + from, *end = block + to; byte < end; byte++)
        sink = *byte;
}
static char source[LARGE + PAGE];

/* Blocks that come and go, as in a program that goes on. */
static void others(int count, size_t size) {
    static char *blocks[64];
    for (int i = 0; i < count; i++) {
        char **slot = &blocks[i * 7 % 64];
        drop(*slot);
        *slot = make(size + i % 3 * 16);
    }
    for (char *&block : blocks) {
        drop(block);
        block = nullptr;
    }
}

/* Blocks that stay, as in a program that has run for a while. */
static void grown() {
    for (int i = 0; i < 20000; i++)
        leaked = make(16 + i % 32 * 8);
}

template <size_t SIZE, long BY> Outcome overflow_freed() {
    char *block = make(SIZE);
    write_to(block, 0, SIZE + BY);
    drop(block);
    return PASSED;
}
template <size_t SIZE, long BY> Outcome overflow_set() {
    char *block = make(SIZE);
    memset(block, 'x', SIZE + BY);
    drop(block);
    return PASSED;
}
template <size_t SIZE, long BY> Outcome overflow_leaked() {
    leaked = make(SIZE);
    write_to(leaked, 0, SIZE + BY);
    return PASSED;
}
template <size_t SIZE, long BY> Outcome overflow_copied() {
    leaked = make(SIZE);
    memcpy(leaked, source, SIZE + BY);
    return PASSED;
}
template <size_t SIZE, long AT> Outcome far_write() {
    char *block = make(SIZE);
    write_to(block, AT, AT + 8);
    return PASSED;
}
template <size_t SIZE, long BY> Outcome overread() {
    char *block = make(SIZE);
    memset(block, 0, SIZE);
    read_from(block, 0, SIZE + BY);
    return PASSED;
}
template <size_t SIZE, long BY> Outcome overread_copied() {
    char *block = make(SIZE);
    memset(block, 0, SIZE);
    memcpy(source, block, SIZE + BY);
    return PASSED;
}
template <size_t SIZE, long BY> Outcome underflow_freed() {
    char *block = make(SIZE);
    write_to(block, -BY, SIZE);
    drop(block);
    return PASSED;
}
template <size_t SIZE, long BY> Outcome underflow_leaked() {
    leaked = make(SIZE);
    write_to(leaked, -BY, SIZE);
    return PASSED;
}
template <size_t SIZE, long BY> Outcome underflow_set() {
    leaked = make(SIZE);
    memset(leaked - BY, 'x', BY);
    return PASSED;
}
template <size_t SIZE, long BY> Outcome underread() {
    char *block = make(SIZE);
    memset(block, 0, SIZE);
    read_from(block, -BY, SIZE);
    return PASSED;
}
template <size_t SIZE, long BY> Outcome free_inside() {
    char *block = make(SIZE);
    drop(block + BY);
    return PASSED;
}

/* A block that was freed: now, after others came and went, or after the same size was allocated and kept. */
enum After { NOW, OTHERS, SAME };
template <size_t SIZE, After AFTER> char *freed() {
    char *block = make(SIZE);
    memset(block, 1, SIZE);
    drop(block);
    if (AFTER == OTHERS)
        others(100, SIZE);
    for (int i = 0; AFTER == SAME && i < 100; i++)
        leaked = make(SIZE);
    return block;
}
template <size_t SIZE, After AFTER> Outcome write_freed() {
    write_to(freed<SIZE, AFTER>(), 0, SIZE);
    return PASSED;
}
template <size_t SIZE, After AFTER> Outcome read_freed() {
    read_from(freed<SIZE, AFTER>(), 0, SIZE);
    return PASSED;
}
template <size_t SIZE, After AFTER> Outcome free_freed() {
    drop(freed<SIZE, AFTER>());
    return PASSED;
}
template <size_t SIZE, After AFTER> Outcome resize_freed() {
    leaked = (char *)realloc(freed<SIZE, AFTER>(), 2 * SIZE);
    return PASSED;
}

/* The pointer to a block that was made another size, and then others came. */
template <size_t FROM, size_t TO, int OTHERS> char *moved() {
    char *block = make(FROM);
    memset(block, 1, FROM);
    leaked = (char *)realloc(block, TO);
    others(OTHERS, FROM);
    return block;
}
template <size_t FROM, size_t TO, int OTHERS> Outcome write_moved() {
    write_to(moved<FROM, TO, OTHERS>(), 0, FROM);
    return PASSED;
}
template <size_t FROM, size_t TO, int OTHERS> Outcome read_moved() {
    read_from(moved<FROM, TO, OTHERS>(), 0, FROM);
    return PASSED;
}
template <size_t FROM, size_t TO, int OTHERS> Outcome free_moved() {
    drop(moved<FROM, TO, OTHERS>());
    return PASSED;
}

/* Whether a block that was not written holds what a freed one did. */
template <size_t SIZE> Outcome shows_freed() {
    char *secret = make(SIZE);
    memset(secret, 'S', SIZE);
    drop(secret);
    for (int i = 0; i < 100; i++) {
        char *block = make(SIZE);
        for (size_t byte = 0; byte < SIZE; byte++)
            if (block[byte] == 'S')
                return PASSED;
    }
    return CLEARED;
}
static Outcome grows_over_freed() {
    char *block = make(SMALL), *secret = make(LARGE / 2);
    memset(secret, 'S', LARGE / 2);
    drop(secret);
    block = (char *)realloc(block, LARGE / 2);
    for (size_t byte = SMALL; byte < LARGE / 2; byte++)
        if (block[byte] == 'S')
            return PASSED;
    return CLEARED;
}

/* The first words of a freed block are a list's links: they are made to lead to a block of the program's. */
template <size_t SIZE> Outcome overwrites_links() {
    static char fake[256];
    char *first = make(SIZE), *second = make(SIZE);
    leaked = make(SIZE);
    drop(first);
    drop(second);
    uintptr_t *links = (uintptr_t *)second;
    links[0] = (uintptr_t)fake, links[1] = (uintptr_t)fake;
    for (int i = 0; i < 4; i++)
        leaked = make(SIZE);
    return PASSED;
}

/* What the C library and many others have before a block, on the stack or inside of a block. */
static Outcome free_forged_on_stack() {
    alignas(16) uintptr_t forged[16] = {0, 0x41, 0, 0, 0, 0, 0, 0, 0, 0x41};
    drop(forged + 2);
    return PASSED;
}
static Outcome free_forged_inside() {
    char *pattern = make(48), *block = make(256);
    memcpy(block + 64, pattern - 32, 80);
    drop(block + 96);
    return PASSED;
}

static void *in_thread(void *block) {
    drop(block);
    return nullptr;
}
static void drop_elsewhere(char *block) {
    pthread_t thread;
    if (pthread_create(&thread, nullptr, in_thread, block) || pthread_join(thread, nullptr))
        abort();
}

struct Small { char bytes[24]; };
struct Large { char bytes[200]; };
struct alignas(64) Wide { char bytes[128]; };

static const struct {
    const char *kind, *name;
    Outcome (*run)();
} programs[] = {
    {"double free", "small", free_freed<SMALL, NOW>},
    {"double free", "large", free_freed<LARGE, NOW>},
    {"double free", "zero bytes", [] { char *block = make(0); drop(block); drop(block); return PASSED; }},
    {"double free, others between", "small", free_freed<SMALL, OTHERS>},
    {"double free, others between", "medium", free_freed<MEDIUM, OTHERS>},
    {"double free, size allocated again", "small", free_freed<SMALL, SAME>},
    {"double free, size allocated again", "large", free_freed<LARGE, SAME>},
    {"double free after reallocation", "grown", free_moved<SMALL, LARGE, 0>},
    {"double free after reallocation", "shrunk", free_moved<MEDIUM, SMALL, 0>},
    {"free inside a block", "8 bytes in", free_inside<SMALL, 8>},
    {"free inside a block", "16 bytes in", free_inside<ODD, 16>},
    {"free inside a block", "in the middle of a large one", free_inside<LARGE, LARGE / 2>},
    {"free of a misaligned pointer", "1 byte in", free_inside<SMALL, 1>},
    {"free of a misaligned pointer", "4 bytes in", free_inside<MEDIUM, 4>},
    {"free of the stack", "array", [] { alignas(16) char here[64] = {}; drop(here); return PASSED; }},
    {"free of the stack", "inside an array", [] { alignas(16) char here[64] = {}; drop(here + 32); return PASSED; }},
    {"free of a global", "array", [] { drop(global); return PASSED; }},
    {"free of a global", "constant", [] { drop((void *)"a string that no heap has made"); return PASSED; }},
    {"free of what was never allocated", "near address 0", [] { drop((void *)0x40); return PASSED; }},
    {"free of what was never allocated", "1 MiB behind a block", [] { drop(make(SMALL) + (1 << 20)); return PASSED; }},
    {"free of a forged header", "on the stack", free_forged_on_stack},
    {"free of a forged header", "inside a block", free_forged_inside},
    {"overflow, freed later, by loop", "1 byte", overflow_freed<SMALL, 1>},
    {"overflow, freed later, by loop", "8 bytes", overflow_freed<SMALL, 8>},
    {"overflow, freed later, by loop", "16 bytes", overflow_freed<SMALL, 16>},
    {"overflow, freed later, by loop", "32 bytes", overflow_freed<SMALL, 32>},
    {"overflow, freed later, by memset", "odd, 1 byte", overflow_set<ODD, 1>},
    {"overflow, freed later, by memset", "odd, 16 bytes", overflow_set<ODD, 16>},
    {"overflow, freed later, by memset", "medium, 1 byte", overflow_set<MEDIUM, 1>},
    {"overflow, freed later, by memset", "large, 1 byte", overflow_set<LARGE, 1>},
    {"overflow, never freed, by loop", "1 byte", overflow_leaked<SMALL, 1>},
    {"overflow, never freed, by loop", "8 bytes", overflow_leaked<SMALL, 8>},
    {"overflow, never freed, by loop", "16 bytes", overflow_leaked<SMALL, 16>},
    {"overflow, never freed, by loop", "32 bytes", overflow_leaked<SMALL, 32>},
    {"overflow, never freed, by memcpy", "odd, 1 byte", overflow_copied<ODD, 1>},
    {"overflow, never freed, by memcpy", "odd, 8 bytes", overflow_copied<ODD, 8>},
    {"overflow, never freed, by memcpy", "odd, 16 bytes", overflow_copied<ODD, 16>},
    {"overflow, never freed, by memcpy", "odd, 32 bytes", overflow_copied<ODD, 32>},
    {"overflow, medium, never freed", "1 byte", overflow_leaked<MEDIUM, 1>},
    {"overflow, medium, never freed", "32 bytes", overflow_copied<MEDIUM, 32>},
    {"overflow, large, never freed", "1 byte", overflow_leaked<LARGE, 1>},
    {"overflow, large, never freed", "32 bytes", overflow_copied<LARGE, 32>},
    {"write far behind a block", "a page", far_write<SMALL, PAGE>},
    {"write far behind a block", "64 KiB", far_write<MEDIUM, 1 << 16>},
    {"string one byte too long", "strcpy", [] {
        char *block = make(24);
        strcpy(block, "twenty-four letters here");
        drop(block);
        return PASSED;
    }},
    {"read behind a block, by loop", "1 byte", overread<SMALL, 1>},
    {"read behind a block, by loop", "8 bytes", overread<SMALL, 8>},
    {"read behind a block, by loop", "16 bytes", overread<SMALL, 16>},
    {"read behind a block, by loop", "32 bytes", overread<SMALL, 32>},
    {"read behind an odd block", "1 byte", overread<ODD, 1>},
    {"read behind an odd block", "8 bytes", overread<ODD, 8>},
    {"read behind an odd block", "16 bytes", overread<ODD, 16>},
    {"read behind an odd block", "32 bytes", overread<ODD, 32>},
    {"read behind a block, by memcpy", "1 byte", overread_copied<SMALL, 1>},
    {"read behind a block, by memcpy", "32 bytes", overread_copied<SMALL, 32>},
    {"read behind a block, by memcpy", "medium, 16 bytes", overread_copied<MEDIUM, 16>},
    {"read behind a block, by memcpy", "large, 1 byte", overread_copied<LARGE, 1>},
    {"read far behind a block", "a page", [] { read_from(make(SMALL), PAGE, PAGE + 8); return PASSED; }},
    {"underflow, freed later, by loop", "1 byte", underflow_freed<SMALL, 1>},
    {"underflow, freed later, by loop", "8 bytes", underflow_freed<SMALL, 8>},
    {"underflow, freed later, by loop", "16 bytes", underflow_freed<SMALL, 16>},
    {"underflow, freed later, by loop", "32 bytes", underflow_freed<SMALL, 32>},
    {"underflow, never freed, by loop", "1 byte", underflow_leaked<ODD, 1>},
    {"underflow, never freed, by loop", "8 bytes", underflow_leaked<ODD, 8>},
    {"underflow, never freed, by loop", "16 bytes", underflow_leaked<ODD, 16>},
    {"underflow, never freed, by loop", "32 bytes", underflow_leaked<ODD, 32>},
    {"underflow, never freed, by memset", "medium, 1 byte", underflow_set<MEDIUM, 1>},
    {"underflow, never freed, by memset", "large, 32 bytes", underflow_set<LARGE, 32>},
    {"read before a block", "1 byte", underread<SMALL, 1>},
    {"read before a block", "8 bytes", underread<SMALL, 8>},
    {"read before a block", "16 bytes", underread<SMALL, 16>},
    {"read before a block", "32 bytes", underread<SMALL, 32>},
    {"read before a block of whole pages", "1 byte", underread<PAGE, 1>},
    {"read before a block of whole pages", "large, 32 bytes", underread<16 * PAGE, 32>},
    {"write after free", "small", write_freed<SMALL, NOW>},
    {"write after free", "medium", write_freed<MEDIUM, NOW>},
    {"write after free", "large", write_freed<LARGE, NOW>},
    {"write after free, later", "small", write_freed<SMALL, OTHERS>},
    {"write after free, later", "medium", write_freed<MEDIUM, OTHERS>},
    {"write after free, later", "large", write_freed<LARGE, OTHERS>},
    {"write after free, size allocated again", "small", write_freed<SMALL, SAME>},
    {"read after free", "small", read_freed<SMALL, NOW>},
    {"read after free", "large", read_freed<LARGE, NOW>},
    {"read after free, later", "small", read_freed<SMALL, OTHERS>},
    {"read after free, later", "large", read_freed<LARGE, OTHERS>},
    {"read after free, size allocated again", "small", read_freed<SMALL, SAME>},
    {"write by the old pointer of a reallocation", "grown", write_moved<SMALL, LARGE, 0>},
    {"write by the old pointer of a reallocation", "shrunk", write_moved<MEDIUM, SMALL, 0>},
    {"write by the old pointer of a reallocation", "large, grown", write_moved<LARGE, 4 * LARGE, 0>},
    {"read by the old pointer of a reallocation", "grown", read_moved<SMALL, LARGE, 0>},
    {"read by the old pointer of a reallocation", "shrunk", read_moved<MEDIUM, SMALL, 0>},
    {"read by the old pointer of a reallocation", "large, grown", read_moved<LARGE, 4 * LARGE, 0>},
    {"old pointer of a reallocation, later", "small", write_moved<SMALL, MEDIUM, 100>},
    {"old pointer of a reallocation, later", "large", read_moved<LARGE, 2 * LARGE, 100>},
    {"write to a block of 0 bytes", "malloc", [] { write_to(make(0), 0, 1); return PASSED; }},
    {"write to a block of 0 bytes", "calloc", [] { write_to((char *)calloc(0, 8), 0, 8); return PASSED; }},
    {"write to a block of 0 bytes", "new[]", [] { write_to(new char[global[0]], 0, 1); return PASSED; }},
    {"read from a block of 0 bytes", "malloc", [] { read_from(make(0), 0, 1); return PASSED; }},
    {"read from a block of 0 bytes", "aligned_alloc", [] { read_from((char *)aligned_alloc(64, 0), 0, 8); return PASSED; }},
    {"read from a block of 0 bytes", "new[]", [] { read_from(new char[global[0]], 0, 1); return PASSED; }},
    {"malloc and delete", "delete", [] { ::operator delete(make(24)); return PASSED; }},
    {"malloc and delete", "delete[]", [] { ::operator delete[](make(24)); return PASSED; }},
    {"new and free", "new", [] { drop(new Small); return PASSED; }},
    {"new and free", "new[]", [] { drop(new Small[3]); return PASSED; }},
    {"new and delete[]", "small", [] { ::operator delete[](::operator new(24)); return PASSED; }},
    {"new[] and delete", "small", [] { ::operator delete(::operator new[](24)); return PASSED; }},
    {"sized delete of another size", "larger", [] { ::operator delete(new Small, sizeof(Large)); return PASSED; }},
    {"sized delete of another size", "smaller", [] { ::operator delete(new Large, sizeof(Small)); return PASSED; }},
    {"sized delete of another size", "delete[]", [] { ::operator delete[](new Small[3], sizeof(Small)); return PASSED; }},
    {"aligned and plain", "aligned new, delete", [] { ::operator delete((void *)new Wide); return PASSED; }},
    {"aligned and plain", "new, aligned delete", [] {
        ::operator delete(::operator new(128), std::align_val_t(64));
        return PASSED;
    }},
    {"aligned and plain", "aligned_alloc, delete", [] { ::operator delete(aligned_alloc(64, 128)); return PASSED; }},
    {"realloc of a block of new", "new", [] { leaked = (char *)realloc(new Small, 100); return PASSED; }},
    {"read of what was not written", "small", shows_freed<SMALL>},
    {"read of what was not written", "large", shows_freed<LARGE>},
    {"read of what was not written", "grown", grows_over_freed},
    {"size that wraps", "calloc", [] { return calloc(SIZE_MAX / 16 + 2, 16) ? PASSED : REFUSED; }},
    {"size that wraps", "reallocarray", [] {
        return reallocarray(make(SMALL), SIZE_MAX / 16 + 2, 16) ? PASSED : REFUSED;
    }},
    {"realloc of what is no block", "freed", resize_freed<SMALL, NOW>},
    {"realloc of what is no block", "stack", [] {
        alignas(16) char here[64] = {};
        leaked = (char *)realloc(here + 32, 100);
        return PASSED;
    }},
    {"realloc of what is no block", "inside a block", [] { leaked = (char *)realloc(make(ODD) + 16, 200); return PASSED; }},
    {"write behind the usable size", "small", [] {
        leaked = make(ODD);
        leaked[malloc_usable_size(leaked)] = 'x';
        return PASSED;
    }},
    {"write behind the usable size", "large", [] {
        leaked = make(LARGE);
        leaked[malloc_usable_size(leaked)] = 'x';
        return PASSED;
    }},
    {"overwritten links of free blocks", "small", overwrites_links<SMALL>},
    {"overwritten links of free blocks", "medium", overwrites_links<MEDIUM>},
    {"other thread", "double free", [] { char *block = make(SMALL); drop_elsewhere(block); drop(block); return PASSED; }},
    {"other thread", "write after free", [] {
        char *block = make(SMALL);
        drop_elsewhere(block);
        write_to(block, 0, 8);
        return PASSED;
    }},
    {"after 20,000 blocks", "overflow, never freed", [] { grown(); return overflow_leaked<ODD, 1>(); }},
    {"after 20,000 blocks", "write after free", [] { grown(); return write_freed<SMALL, NOW>(); }},
    {"after 20,000 blocks", "read after free", [] { grown(); return read_freed<SMALL, NOW>(); }},
    {"after 20,000 blocks", "double free", [] { grown(); return free_freed<SMALL, OTHERS>(); }},
};

int main(int count, char **arguments) {
    static const char *const outcomes[] = {"passed", "refused", "cleared"};
    size_t number = count > 1 ? strtoul(arguments[1], nullptr, 10) : 0;
    if (count > 1 && number < sizeof programs / sizeof *programs) {
        puts(outcomes[programs[number].run()]);
        return 0;
    }
    for (auto &program : programs)
        printf("%s\t%s\n", program.kind, program.name);
    return 0;
}
