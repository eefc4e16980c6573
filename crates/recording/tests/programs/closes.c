/* Closes every descriptor, as daemons do, and opens a file of its own under the numbers. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

int main(int count, char **arguments) {
    (void)count;
    free(malloc(10));
    for (int file = 0; file < 1024; file++)
        close(file);
    for (int i = 0; i < 20; i++)
        if (open(arguments[1], O_RDWR | O_CREAT, 0666) < 0)
            return 1;
    for (int i = 0; i < 200000; i++)
        free(malloc(100));
    return lseek(0, 0, SEEK_END) != 0;
}
