/* The time of day, in place of that of the C library: the testers take their seed from it. */
#include <stdlib.h>
#include <time.h>

time_t time(time_t *at)
{
    const char *seed = getenv("SEED");

    (void)at;
    return (seed != NULL) ? atol(seed) : 1;
}
