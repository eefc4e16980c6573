/* A library that is opened late, and takes and frees at its beginning and its end. */
#include <stdlib.h>

static void *kept;

__attribute__((constructor)) static void begin(void) { kept = malloc(300); }

__attribute__((destructor)) static void end(void) { free(kept); }

void *take(void) { return malloc(30); }
