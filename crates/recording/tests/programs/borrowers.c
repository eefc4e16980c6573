/* Two threads that want the same block, again and again. */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static void *work(void *unused) {
    (void)unused;
    for (int i = 0; i < 50; i++) {
        void *block = malloc(12345);
        usleep(200);
        free(block);
    }
    return NULL;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, work, NULL);
    work(NULL);
    pthread_join(other, NULL);
    return 0;
}
