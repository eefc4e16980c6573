/* Allows itself 200 MB of address space, takes what it gets, and says how many MB that was, and whether it heard that
 * there is no more. Stops at ten times the limit. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { MB = 1 << 20, SIZE = 20000 };

int main(void) {
    struct rlimit limit = {200l * MB, 200l * MB};
    if (setrlimit(RLIMIT_AS, &limit))
        return 9;
    long got = 0;
    void *block;
    errno = 0;
    while (got < 2000l * MB && (block = malloc(SIZE))) {
        memset(block, 1, SIZE);
        got += SIZE;
    }
    printf("%ld %d\n", got / MB, errno == ENOMEM);
    return 0;
}
