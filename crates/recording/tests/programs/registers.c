/* One thread waits by system calls with all its registers in use, until SIGTERM, and verifies that it has them afterwards. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

static volatile sig_atomic_t stop;

static void quit(int signal) {
    (void)signal;
    stop = 1;
}

/* Waits a millisecond by poll. A system call may change rax, rcx and r11; the 128 bytes below the stack pointer are the caller's. */
static int is_kept(uint64_t first) {
    uint64_t before[32], after[32], wide[6], below;
    for (int at = 0; at < 32; at++) before[at] = first + (uint64_t)at * 0x9e3779b97f4a7c15u;
    register uint64_t r8 __asm__("r8") = first + 8, r9 __asm__("r9") = first + 9, r10 __asm__("r10") = first + 10;
    register uint64_t r12 __asm__("r12") = first + 12, r13 __asm__("r13") = first + 13, r14 __asm__("r14") = first + 14;
    long result = SYS_poll;
    __asm__ volatile(
        "movq %[first], -128(%%rsp)\n"
        "movdqu (%[before]), %%xmm0\n movdqu 16(%[before]), %%xmm1\n movdqu 32(%[before]), %%xmm2\n"
        "movdqu 48(%[before]), %%xmm3\n movdqu 64(%[before]), %%xmm4\n movdqu 80(%[before]), %%xmm5\n"
        "movdqu 96(%[before]), %%xmm6\n movdqu 112(%[before]), %%xmm7\n movdqu 128(%[before]), %%xmm8\n"
        "movdqu 144(%[before]), %%xmm9\n movdqu 160(%[before]), %%xmm10\n movdqu 176(%[before]), %%xmm11\n"
        "movdqu 192(%[before]), %%xmm12\n movdqu 208(%[before]), %%xmm13\n movdqu 224(%[before]), %%xmm14\n"
        "movdqu 240(%[before]), %%xmm15\n"
        "syscall\n"
        "movdqu %%xmm0, (%[after])\n movdqu %%xmm1, 16(%[after])\n movdqu %%xmm2, 32(%[after])\n"
        "movdqu %%xmm3, 48(%[after])\n movdqu %%xmm4, 64(%[after])\n movdqu %%xmm5, 80(%[after])\n"
        "movdqu %%xmm6, 96(%[after])\n movdqu %%xmm7, 112(%[after])\n movdqu %%xmm8, 128(%[after])\n"
        "movdqu %%xmm9, 144(%[after])\n movdqu %%xmm10, 160(%[after])\n movdqu %%xmm11, 176(%[after])\n"
        "movdqu %%xmm12, 192(%[after])\n movdqu %%xmm13, 208(%[after])\n movdqu %%xmm14, 224(%[after])\n"
        "movdqu %%xmm15, 240(%[after])\n"
        "movq -128(%%rsp), %%rcx\n"
        : "+a"(result), "=&c"(below), "+r"(r8), "+r"(r9), "+r"(r10), "+r"(r12), "+r"(r13), "+r"(r14)
        : "D"(0L), "S"(0L), "d"(1L), [before] "r"(before), [after] "b"(after), [first] "r"(first)
        : "r11", "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
          "xmm12", "xmm13", "xmm14", "xmm15");
    memcpy(wide, (uint64_t[]){r8 - 8, r9 - 9, r10 - 10, r12 - 12, r13 - 13, r14 - 14}, sizeof wide);
    for (int at = 0; at < 6; at++)
        if (wide[at] != first) return 0;
    /* Interrupted (-4) is what any signal may do to it. */
    return below == first && (result == 0 || result == -4) && memcmp(before, after, sizeof before) == 0;
}

int main(void) {
    long wrong = 0;
    signal(SIGTERM, quit);
    puts("begun");
    fflush(stdout);
    for (uint64_t round = 1; !stop; round++) {
        wrong += !is_kept(round);
        free(malloc(round % 1000));
    }
    printf("%ld wrong\n", wrong);
    return wrong != 0;
}
