/* Allocates, says so, and waits for the end of its input. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(void) {
    char byte;
    void *volatile block = malloc(100000);
    (void)block;
    if (write(1, "ready\n", 6) != 6)
        return 1;
    while (read(0, &byte, 1) > 0)
        ;
    return 0;
}
