/* Limits itself before its first event that counts: to files of 4096 bytes, or with the word descriptors to those that are
 * open. */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

int main(int count, char **words) {
    struct rlimit files = {4096, 4096}, descriptors = {3, 3};
    if (count > 1 && !strcmp(words[1], "descriptors") ? setrlimit(RLIMIT_NOFILE, &descriptors)
                                                      : setrlimit(RLIMIT_FSIZE, &files))
        return 9;
    for (int i = 0; i < 100000; i++)
        free(malloc(10 + i % 50));
    return 0;
}
