/* Requests at odd times: from constructors, a plugin's too, from destructors of thread-specific data, from handlers of
 * exit, from destructors. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *early, *late;
static pthread_key_t keys[40];

__attribute__((constructor)) static void first(void) { early = strdup("from a constructor"); }

__attribute__((destructor)) static void last(void) {
    free(early);
    free(late);
    puts(strdup("all hold"));
}

static void at_exit(void) { late = strdup("from a handler"); }

static void of_key(void *value) {
    /* Three rounds: the library's own key has had its turn then. */
    char *text = value;
    if (text[0] < '3') {
        char *next = malloc(100);
        sprintf(next, "%c", text[0] + 1);
        pthread_setspecific(keys[39], next);
    }
    free(value);
}

static void *thread(void *unused) {
    (void)unused;
    pthread_setspecific(keys[39], strdup("0"));
    for (int i = 0; i < 1000; i++)
        free(malloc(i));
    return malloc(77);
}

int main(int count, char **arguments) {
    (void)count;
    void *plugin = dlopen(arguments[1], RTLD_NOW);
    if (!plugin || !dlsym(plugin, "take") || dlclose(plugin))
        return 1;
    for (int i = 0; i < 40; i++)
        if (pthread_key_create(&keys[i], of_key))
            return 2;
    for (int i = 0; i < 100; i++) {
        pthread_t id;
        void *left;
        if (pthread_create(&id, NULL, thread, NULL) || pthread_join(id, &left))
            return 3;
        memset(left, 1, 77);
        free(left);
    }
    return atexit(at_exit);
}
