/* A parent, a child by fork, one by a bare system call, and one that becomes another program. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int count, char **arguments) {
    if (count > 1) {
        free(malloc(4444));
        return 0;
    }
    void *inherited = malloc(1111);
    if (fork() == 0) {
        free(inherited);
        free(malloc(2222));
        exit(0);
    }
    wait(NULL);
    if (syscall(SYS_fork) == 0) {
        free(malloc(3333));
        _exit(0);
    }
    wait(NULL);
    if (vfork() == 0) {
        execl(arguments[0], arguments[0], "again", (char *)NULL);
        _exit(1);
    }
    wait(NULL);
    free(inherited);
    for (int i = 0; i < 50000; i++)
        free(malloc(5555));
    execl(arguments[0], arguments[0], "again", (char *)NULL);
    return 1;
}
