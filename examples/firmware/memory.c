/* What the C library's malloc asks for memory. */
#include <errno.h>
#include <stddef.h>

static _Alignas(8) unsigned char reserve[1024U * 1024U];
static size_t taken;

void *_sbrk(ptrdiff_t more);

void *_sbrk(ptrdiff_t more)
{
    void *const end = &reserve[taken];

    if ((more < 0) ? ((size_t)-more > taken) : ((size_t)more > (sizeof reserve - taken))) {
        errno = ENOMEM;
        return (void *)-1;
    }
    taken += (size_t)more;
    return end;
}
