/* What the first argument names. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((noinline)) char *make(size_t size) { return malloc(size); }
__attribute__((noinline)) void give_away(char *block) { free(block); }

static void own_handler(int signal) {
    (void)signal;
    _exit(7);
}

int main(int count, char **arguments) {
    const char *what = count > 1 ? arguments[1] : "";
    char *volatile block = make(24), *volatile other = make(24);
    if (!strcmp(what, "double")) {
        give_away(block);
        give_away(block);
    } else if (!strcmp(what, "overflow")) {
        memset(block, 'x', 28);
        give_away(block);
    } else if (!strcmp(what, "foreign")) {
        give_away(block + 8);
    } else if (!strcmp(what, "stack")) {
        char here[64] = {0};
        give_away(here + 32);
    } else if (!strcmp(what, "after")) {
        give_away(block);
        block[3] = 'x';
        for (int i = 0; i < 100; i++)
            give_away(make(24));
    } else if (!strcmp(what, "resize")) {
        memset(block, 'x', 28);
        block = realloc(block, 1000);
    } else if (!strcmp(what, "read")) {
        give_away(block);
        return block[3];
    } else if (!strcmp(what, "null")) {
        *(volatile int *)(size_t)(count - 2) = 1;
    } else if (!strcmp(what, "handled")) {
        signal(SIGSEGV, own_handler);
        give_away(block);
        block[3] = 'x';
    }
    give_away(other);
    return 0;
}
