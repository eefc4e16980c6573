/* A program with an allocator of its own, whose functions begin in all ways that a jump has to be made room in.
   Two threads use it and exchange blocks; whether a block was wrong is printed at the end, and malloc is used meanwhile as well. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Without more, as functions that others call; a test makes them static, which lets a compiler use what it knows of them. */
#ifndef KEEP
#define KEEP __attribute__((noinline, noipa, used))
#endif
#define BLOCK 2048
#define BLOCKS 4096

static _Alignas(4096) unsigned char arena[BLOCKS][BLOCK];
static void *first;
static unsigned fresh;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Read by code that names it by its distance. */
uintptr_t pool_calls;

KEEP void *pool_get(size_t size)
{
    pthread_mutex_lock(&lock);
    pool_calls++;
    void *block = NULL;
    if (size > BLOCK) {
        block = NULL;
    } else if (first != NULL) {
        block = first;
        memcpy(&first, block, sizeof first);
    } else if (fresh < BLOCKS) {
        block = arena[fresh++];
    }
    pthread_mutex_unlock(&lock);
    return block;
}

KEEP void pool_put(void *block)
{
    pthread_mutex_lock(&lock);
    pool_calls++;
    memcpy(block, &first, sizeof first);
    first = block;
    pthread_mutex_unlock(&lock);
}

/* Begin with: a short conditional jump; a call; a long and a short jump; a read of what is at a distance. */
void *pool_malloc(size_t size);
void *pool_calloc(size_t count, size_t size);
void *pool_memalign(size_t alignment, size_t size);
void *pool_valloc(size_t size);
void pool_free(void *block);
/* Cannot be recorded: it is two bytes long; it jumps back between its first instructions; it begins with a loop; its first
   instructions jump among themselves; there is another function in them. */
void short_free(void *block);
void back_free(void *block);
void loop_free(void *block);
void inner_free(void *block);
void two_free(void *block);
__asm__(".text\n"
        ".globl pool_malloc\n.type pool_malloc, @function\npool_malloc:\n"
        "test %rdi, %rdi\n je 1f\n jmp pool_get\n1: mov $1, %edi\n jmp pool_get\n.size pool_malloc, . - pool_malloc\n"
        ".globl pool_calloc\n.type pool_calloc, @function\npool_calloc:\n"
        "call 2f\n imul %rsi, %rdi\n sub $8, %rsp\n push %rdi\n call pool_get\n pop %rcx\n add $8, %rsp\n test %rax, %rax\n"
        "je 1f\n mov %rax, %rdx\n mov %rax, %rdi\n xor %eax, %eax\n rep stosb\n mov %rdx, %rax\n1: ret\n2: ret\n"
        ".size pool_calloc, . - pool_calloc\n"
        ".globl pool_memalign\n.type pool_memalign, @function\npool_memalign:\n"
        "mov %rsi, %rdi\n .byte 0xe9\n .long pool_get - . - 4\n.size pool_memalign, . - pool_memalign\n"
        ".globl pool_valloc\n.type pool_valloc, @function\npool_valloc:\n"
        "jmp 1f\n .byte 0xcc, 0xcc, 0xcc, 0xcc\n1: mov $2048, %edi\n jmp pool_get\n.size pool_valloc, . - pool_valloc\n"
        ".globl pool_free\n.type pool_free, @function\npool_free:\n"
        "cmpq $0, pool_calls(%rip)\n je 1f\n test %rdi, %rdi\n je 1f\n jmp pool_put\n1: ret\n.size pool_free, . - pool_free\n"
        ".globl short_free\n.type short_free, @function\nshort_free:\n nop\n ret\n.size short_free, . - short_free\n"
        ".globl back_free\n.type back_free, @function\nback_free:\n"
        "nop\n1: nop\n mov $1, %eax\n test %eax, %eax\n je 1b\n ret\n.size back_free, . - back_free\n"
        ".globl loop_free\n.type loop_free, @function\nloop_free:\n1: loop 1b\n nop\n nop\n nop\n ret\n"
        ".size loop_free, . - loop_free\n"
        ".globl inner_free\n.type inner_free, @function\ninner_free:\n"
        "nop\n1: nop\n jo 1b\n nop\n nop\n ret\n.size inner_free, . - inner_free\n"
        ".globl two_free\n.type two_free, @function\ntwo_free:\n nop\n nop\n"
        ".globl two_inside\ntwo_inside:\n nop\n nop\n nop\n ret\n.size two_free, . - two_free\n");

KEEP void *pool_realloc(void *block, size_t size)
{
    void *next = pool_malloc(size);
    if (block != NULL && next != NULL) {
        memcpy(next, block, BLOCK);
        pool_free(block);
    }
    return next;
}

KEEP void *pool_reallocarray(void *block, size_t count, size_t size) { return pool_realloc(block, count * size); }

KEEP int pool_posix_memalign(void **to, size_t alignment, size_t size)
{
    void *block = pool_memalign(alignment, size);
    if (block == NULL) {
        return 12;
    }
    *to = block;
    return 0;
}

KEEP void *pool_mallocx(size_t size, int flags) { return pool_memalign((size_t)1 << (flags & 63), size); }

KEEP void pool_sdallocx(void *block, size_t size, int flags)
{
    if (size == 0 || flags != 7) {
        abort();
    }
    pool_free(block);
}

static _Atomic(unsigned char *) exchanged[64];
static atomic_uint wrong;

static void *thread(void *number)
{
    unsigned seed = (unsigned)(uintptr_t)number;
    for (int round = 0; round < 20000; round++) {
        seed = seed * 1664525U + 1013904223U;
        size_t size = 1 + (seed >> 8) % 1000;
        unsigned char *block = pool_malloc(size);
        memset(block, (int)size & 255, size);
        block = pool_realloc(block, size + 10);
        wrong += round % 100 == 0 && pool_realloc(block, BLOCK + 1) != NULL;
        block[size] = block[0];
        block = atomic_exchange(&exchanged[seed >> 26], block);
        if (block != NULL) {
            wrong += block[0] != block[1] && block[1] != 0;
            pool_free(block);
        }
        free(malloc(size));
    }
    return NULL;
}

int main(void)
{
    pthread_t other;
    void *block;
    pool_free(NULL);
    pool_free(pool_malloc(0));
    unsigned char *cleared = pool_calloc(3, 7);
    wrong += cleared[0] | cleared[20];
    pool_free(pool_reallocarray(cleared, 5, 11));
    pool_free(pool_memalign(64, 1001));
    pool_free(pool_valloc(1002));
    wrong += pool_posix_memalign(&block, 128, 1003) != 0;
    pool_free(block);
    wrong += pool_posix_memalign(&block, 128, BLOCK + 1) != 12;
    pool_sdallocx(pool_mallocx(1004, 8), 1004, 7);
    wrong += pool_malloc(BLOCK + 1) != NULL;
    pthread_create(&other, NULL, thread, (void *)1);
    thread((void *)2);
    pthread_join(other, NULL);
    for (int slot = 0; slot < 64; slot++) {
        pool_free(exchanged[slot]);
    }
    short_free(NULL);
    back_free(NULL);
    printf("%u wrong\n", wrong);
    return wrong != 0;
}
