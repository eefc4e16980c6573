/* What the authors' testers use and do not declare. */
#include <pthread.h>
#include <stddef.h>

void *rbmalloc(size_t size);
void rbfree(void *block);
