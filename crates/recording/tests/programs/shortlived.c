/* Three thousand threads, one after another; each leaves a block to be freed when it ends. */
#include <pthread.h>
#include <stdlib.h>

static pthread_key_t key;

static void *work(void *unused) {
    (void)unused;
    pthread_setspecific(key, malloc(7777));
    free(malloc(8888));
    return NULL;
}

int main(void) {
    pthread_t thread;
    pthread_key_create(&key, free);
    for (int i = 0; i < 3000; i++) {
        pthread_create(&thread, NULL, work, NULL);
        pthread_join(thread, NULL);
    }
    return 0;
}
