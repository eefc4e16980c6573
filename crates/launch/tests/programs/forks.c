/* Children of a process whose threads allocate: each allocates, frees what it inherited, and starts threads of its own. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int over;
static void *inherited[64];

static void *busy(void *seed) {
    unsigned state = (unsigned)(size_t)seed;
    void *blocks[100] = {0};
    for (long step = 0; seed ? !over : step < 20000; step++) {
        state = state * 1103515245 + 12345;
        free(blocks[state / 65536 % 100]);
        blocks[state / 65536 % 100] = malloc(state / 4096 % 1500 + 1);
    }
    for (int i = 0; i < 100; i++)
        free(blocks[i]);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (size_t i = 0; i < 64; i++)
        inherited[i] = strdup("what the parent wrote");
    for (size_t i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, busy, (void *)(i + 1));
    for (int child = 0; child < 40; child++) {
        pid_t id = fork();
        if (id == 0) {
            pthread_t own;
            for (int i = 0; i < 64; i++) {
                if (strcmp(inherited[i], "what the parent wrote"))
                    _exit(3);
                free(inherited[i]);
            }
            busy(NULL);
            if (pthread_create(&own, NULL, busy, NULL) || pthread_join(own, NULL))
                _exit(4);
            exit(0);
        }
        int status;
        if (id < 0 || waitpid(id, &status, 0) != id || status) {
            printf("child %d: %x\n", child, status);
            return 1;
        }
    }
    over = 1;
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    puts("all hold");
    return 0;
}
