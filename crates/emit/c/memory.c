/* ---- The words of the region ------------------------------------------------------------------
 *
 * An index counts words from the region's base. Index 0 is a control word, so 0 is never a block:
 * it means none. Indexes come from headers and links, which hold only what was written here.
 */

static inline Index load(const Heap *heap, Index at)
{
    {{ N }}_ASSERT(at < heap->length);
    return heap->words[at];
}

static inline void store(Heap *heap, Index at, Index value)
{
    {{ N }}_ASSERT(at < heap->length);
    heap->words[at] = (Word)value;
}
