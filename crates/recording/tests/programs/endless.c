/* Allocates blocks of 1, 2, 3 … bytes and frees them, and notes in a shared file how far it
 * came, until somebody kills it; or as often as its second argument says. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int count, char **arguments) {
    long max = count > 2 ? atol(arguments[2]) : -1;
    int file = open(arguments[1], O_RDWR | O_CREAT | O_TRUNC, 0666);
    if (file < 0 || ftruncate(file, 4096))
        return 1;
    volatile long *told = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    errno = 0;
    for (long step = 1; step != max + 1; step++) {
        free(malloc(step));
        *told = step;
    }
    return errno != 0;
}
