
/* Blocks that are mapped by themselves: large ones, and those that the heap refuses.
 *
 *   base                               block
 *    |-- ... -- seal base length size --|-- size bytes -- ... --| base + length
 *
 * Freeing one gives its memory back at once. Requests up to its size go to the heap from then on, up to MAX_ADAPTED: the rule
 * of the GNU C library (mallopt(3), M_MMAP_THRESHOLD).
 */
typedef struct {
    uintptr_t seal;
    char *base;
    size_t length;
    size_t size;
} mapped_block;

#define PAGE ((size_t)4096)
#define MAX_ADAPTED ((size_t)32 << 20)
#define SEAL ((uintptr_t)0x68656170736d6974U)

/* Requests of at least this many bytes are mapped by themselves. */
static atomic_size_t map_from = {{ map_from }}U;
/* The program forbade itself system calls: nothing is mapped or unmapped any more. */
static atomic_bool is_restricted;

static bool is_large(size_t size)
{
    return size >= atomic_load_explicit(&map_from, memory_order_relaxed);
}

static bool may_call(void)
{
    return !atomic_load_explicit(&is_restricted, memory_order_relaxed);
}

static bool is_of_heap(const void *block)
{
    return ((uintptr_t)block - (uintptr_t)region_base) < region_bytes;
}

static mapped_block *header_of(void *block)
{
    return (mapped_block *)block - 1;
}

static void *sealed(char *base, size_t before, size_t length, size_t size)
{
    void *const block = base + before;

    *header_of(block) = (mapped_block){SEAL ^ (uintptr_t)block, base, length, size};
    return block;
}

/* A block of zeros, or NULL. */
static void *map_apart(size_t size, size_t alignment)
{
    const int kept = errno;
    const size_t spare = (alignment > PAGE) ? alignment : 0U;
    size_t before = (alignment > sizeof(mapped_block)) ? alignment : sizeof(mapped_block);
    size_t length;
    char *base = MAP_FAILED;

    if ((size > (size_t)PTRDIFF_MAX) || (alignment > ((size_t)PTRDIFF_MAX / 4U))) {
        return NULL;
    }
    length = (size + before + spare + PAGE - 1U) & ~(PAGE - 1U);
    if (may_call()) {
        base = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    }
    errno = kept;
    if (base == MAP_FAILED) {
        return NULL;
    }
    if (spare != 0U) {
        before += (0U - ((uintptr_t)base + before)) & (alignment - 1U);
    }
    return sealed(base, before, length, size);
}

/* The header of a block that is none of the heap's; ends the program where it is no block. */
static mapped_block *mapped(void *block)
{
    static const char said[] = "heapsmith: free or realloc of a pointer where no block begins\n";
    mapped_block *const header = header_of(block);

    if (header->seal != (SEAL ^ (uintptr_t)block)) {
        (void)!write(2, said, sizeof said - 1U);
        abort();
    }
    return header;
}

static size_t mapped_usable(void *block)
{
    const mapped_block *const header = mapped(block);

    return header->length - (size_t)((char *)block - header->base);
}

static __attribute__((noinline)) void unmap(void *block)
{
    const mapped_block header = *mapped(block);

{% if adapts %}
    if ((header.size <= MAX_ADAPTED) && is_large(header.size)) {
        atomic_store_explicit(&map_from, header.size + 1U, memory_order_relaxed);
    }
{% endif %}
    if (may_call()) {
        const int kept = errno;

        (void)munmap(header.base, header.length);
        errno = kept;
    }
}

/* A mapped block in another size, by moving its pages; NULL if it stays as it was. */
static void *remap(void *block, size_t size)
{
    const mapped_block header = *mapped(block);
    const size_t before = (size_t)((char *)block - header.base);
    char *base = header.base;
    size_t length;

    if (size > (size_t)PTRDIFF_MAX) {
        return NULL;
    }
    length = (size + before + PAGE - 1U) & ~(PAGE - 1U);
    if (length != header.length) {
        const int kept = errno;

        base = may_call() ? mremap(base, header.length, length, MREMAP_MAYMOVE) : MAP_FAILED;
        errno = kept;
    }
    return (base == MAP_FAILED) ? NULL : sealed(base, before, length, size);
}
