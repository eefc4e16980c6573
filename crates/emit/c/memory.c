/* ---- The words of the region ------------------------------------------------------------------
 *
 * An index counts words from the region's base. Index 0 is a control word, so 0 is never a block:
 * it means none. Indexes come from headers and links, which hold only what was written here.
{%- if shared %}
 * Words are atomic: a thread reads the size of its own block while another changes a flag of its header.
{%- endif %}
 */
{%- if loops %}

/* Loops that fill or copy write through IN_LOOP: no compiler then makes a call of memset or memcpy of them, which a
 * program without a C library could not link. Under an operating system it may. */
#if defined(__unix__) || defined(__APPLE__) || defined(_WIN32)
#define IN_LOOP
#else
#define IN_LOOP volatile
#endif
{%- endif %}

static inline Index load(const Heap *heap, Place at)
{
    {{ N }}_ASSERT(at < heap->length);
{%- if shared %}
    return __atomic_load_n(&heap->words[at], __ATOMIC_RELAXED);
{%- else %}
    return heap->words[at];
{%- endif %}
}

static inline void store(Heap *heap, Place at, Index value)
{
    {{ N }}_ASSERT(at < heap->length);
{%- if shared %}
    __atomic_store_n(&heap->words[at], (Word)value, __ATOMIC_RELAXED);
{%- else %}
    heap->words[at] = (Word)value;
{%- endif %}
}
{%- if fills %}

/* The same in a loop. */
static inline void fill(Heap *heap, Index at, Index value)
{
    IN_LOOP Word *const word = &heap->words[at];

    {{ N }}_ASSERT(at < heap->length);
    *word = (Word)value;
}
{%- endif %}
{%- if guards or not in_order %}

/* Copies the contents of a block, of whatever type they are, to another. */
static void copy(Heap *heap, Index to, Index from, size_t bytes)
{
#if __STDC_HOSTED__ && (defined(__unix__) || defined(__APPLE__) || defined(_WIN32))
    /* NOLINTNEXTLINE(clang-analyzer-security.insecureAPI.DeprecatedOrUnsafeBufferHandling): both blocks have as many bytes */
    (void)memcpy(&heap->words[to], &heap->words[from], bytes);
#else
    IN_LOOP unsigned char *const target = (unsigned char *)&heap->words[to];
    const IN_LOOP unsigned char *const source = (const unsigned char *)&heap->words[from];

    for (size_t at = 0U; at < bytes; at++) {
        target[at] = source[at];
    }
#endif
}
{%- endif %}
