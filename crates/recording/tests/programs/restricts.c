/* Does STEPS times malloc and free, restricts its system calls, and does it STEPS times again.
 *
 *   restricts strict|filter STEPS
 *
 * The filter refuses to open files, to make them longer and to ask the kernel for a time; then the program ends as usual. The strict
 * mode lets a thread read, write and end. */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static void steps(long count) {
    for (long i = 0; i < count; i++)
        free(malloc(100 + i % 50));
}

int main(int count, char **words) {
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 4, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_open, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clock_gettime, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fallocate, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    };
    struct sock_fprog filter = {sizeof rules / sizeof *rules, rules};
    if (count != 3)
        return 2;
    long each = atol(words[2]);
    steps(each);
    if (!strcmp(words[1], "strict")) {
        if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT))
            return 9;
    } else if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter)) {
        return 9;
    }
    steps(each);
    if (!strcmp(words[1], "filter"))
        return 0;
    syscall(SYS_exit, 0);
}
