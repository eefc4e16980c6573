/* Limits the size of the files that it writes to 4096 bytes, before its first event that counts. */
#include <stdlib.h>
#include <sys/resource.h>

int main(void) {
    struct rlimit limit = {4096, 4096};
    if (setrlimit(RLIMIT_FSIZE, &limit))
        return 9;
    for (int i = 0; i < 100000; i++)
        free(malloc(10 + i % 50));
    return 0;
}
