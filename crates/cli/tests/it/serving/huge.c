/* Fills 24 MB, and tells how much of its memory is where huge pages were asked for, in kB. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 3000, BYTES = 8000, KEPT = 256 << 10 };

/* Memory of the mappings whose flags have "hg" (proc(5)). */
static long asked_for(void)
{
    static char line[KEPT];
    FILE *const smaps = fopen("/proc/self/smaps", "r");
    long resident = 0, all = 0;

    while ((smaps != NULL) && (fgets(line, sizeof line, smaps) != NULL)) {
        (void)sscanf(line, "Rss: %ld", &resident);
        if ((strncmp(line, "VmFlags:", 8) == 0) && (strstr(line, " hg") != NULL)) {
            all += resident;
        }
    }
    return all;
}

int main(void)
{
    static char *volatile blocks[BLOCKS];

    for (int i = 0; i < BLOCKS; ++i) {
        blocks[i] = malloc(BYTES);
        if (blocks[i] == NULL) {
            return 1;
        }
        memset(blocks[i], 1, BYTES);
    }
    printf("%ld\n", asked_for());
    return 0;
}
