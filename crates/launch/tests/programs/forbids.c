/* Forbids itself every system call but those that read, write, move the break and end: any other ends it. Then fills
 * MEGABYTES in small blocks and frees them, twice. Ends with 0, or with 3 where there is no memory.
 *
 *   forbids MEGABYTES */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SIZE = 1000, MAX = 128 << 10 };

static char *blocks[MAX];

int main(int count, char **words) {
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_read, 5, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 4, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_brk, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {sizeof rules / sizeof *rules, rules};
    if (count != 2)
        return 2;
    long number = atol(words[1]) * 1024;
    free(malloc(SIZE));
    if (number > MAX || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
        return 9;
    for (int pass = 0; pass < 2; pass++) {
        for (long i = 0; i < number; i++) {
            if (!(blocks[i] = malloc(SIZE)))
                _exit(3);
            memset(blocks[i], 1, SIZE);
        }
        for (long i = 0; i < number; i++)
            free(blocks[i]);
    }
    _exit(0);
}
