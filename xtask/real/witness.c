/* Reports, from inside each process of a program, whose malloc it calls: the library is preloaded before an allocator.
 *
 * When a process starts, one line goes to the end of the file that REAL_WITNESS names:
 *
 *   PROCESS  LIBRARY  PROGRAM  HEAP
 *
 * LIBRARY is the shared object where the dynamic linker finds malloc for the program and its libraries, HEAP what
 * HEAPSMITH_HEAP says. It stays out of the way afterwards: it allocates nothing and defines nothing.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Where malloc is found: in the program itself if that defines it, else in what is loaded after this library. */
static const char *library_of_malloc(void)
{
    void *found = dlsym(RTLD_DEFAULT, "malloc");
    const ElfW(Sym) *symbol = NULL;
    Dl_info object = {.dli_fname = "?"};

    /* A program at a fixed address lends its stub of malloc as the function's address, without defining it. */
    if (found != NULL && dladdr1(found, &object, (void **)&symbol, RTLD_DL_SYMENT) != 0 && symbol != NULL &&
        symbol->st_shndx == SHN_UNDEF) {
        found = dlsym(RTLD_NEXT, "malloc");
        object.dli_fname = "?";
        if (found != NULL) {
            (void)dladdr(found, &object);
        }
    }
    return object.dli_fname;
}

__attribute__((constructor)) static void tell(void)
{
    const char *const path = getenv("REAL_WITNESS");
    const char *const heap = getenv("HEAPSMITH_HEAP");
    char line[4096];
    int length;
    int file;

    if (path == NULL) {
        return;
    }
    length = snprintf(line, sizeof line, "%ld\t%s\t%s\t%s\n", (long)getpid(), library_of_malloc(),
                      program_invocation_short_name, (heap == NULL) ? "" : heap);
    file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    if (file >= 0) {
        /* One write, so that lines of processes do not mix. */
        (void)!write(file, line, (size_t)length < sizeof line ? (size_t)length : sizeof line - 1);
        close(file);
    }
}
