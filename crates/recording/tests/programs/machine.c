/* Loads the agent as a Java virtual machine does that is too old, or can do too little.
   Arguments: the agent; "old": no environment of that version; "lies": an environment of another version;
   "poor": no capabilities; "refuses": it may not have what there is. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static const char *kind;
static void *functions[200];
static void *environment = functions;

static int get_environment(void *machine, void **to, int version) {
    (void)machine;
    if (!strcmp(kind, "old") || version != 0x300b0000) return -3;
    *to = &environment;
    return 0;
}

static int version(void *self, int *to) {
    (void)self;
    *to = strcmp(kind, "lies") ? 0x300b0000 : 0x30080000;
    return 0;
}

static int potential(void *self, unsigned char *to) {
    (void)self;
    memset(to, strcmp(kind, "poor") ? 0xff : 0, 16);
    return 0;
}

static int acquire(void *self, const unsigned char *wanted) {
    (void)self;
    (void)wanted;
    return 98;
}

int main(int count, char **arguments) {
    if (count < 3) return 2;
    kind = arguments[2];
    functions[88 - 1] = (void *)version;
    functions[140 - 1] = (void *)potential;
    functions[142 - 1] = (void *)acquire;
    void *table[8] = {0};
    table[6] = (void *)get_environment;
    void *machine = table;
    void *library = dlopen(arguments[1], RTLD_NOW);
    if (!library) {
        puts(dlerror());
        return 3;
    }
    int (*load)(void *, char *, void *) = (int (*)(void *, char *, void *))dlsym(library, "Agent_OnLoad");
    return load(&machine, "collect=65536", 0);
}
