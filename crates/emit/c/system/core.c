
/* ---- The heap that all of the program shares ---------------------------------------------------- */

static {{ n }} shared_heap;
static bool is_made = false;

/* Whether there is a heap: it is made at the first call. The lock is held. */
static bool make_heap(void)
{
    if (!is_made) {
        is_made = {{ n }}_init(&shared_heap, REGION, REGION_BYTES);
        MUST(is_made); /* the region has no room for the heap's own words and a block */
    }
    return is_made;
}

void *{{ n }}_system_allocate(size_t size, size_t alignment)
{
    void *block = NULL;

    LOCK();
    if (make_heap()) {
        block = {{ n }}_allocate_aligned(&shared_heap, size, alignment);
    }
{%- if traces %}
    ALLOCATED(block, size);
{%- endif %}
    UNLOCK();
    if (block == NULL) {
        REFUSED(size);
    }
    return block;
}

void *{{ n }}_system_reallocate(void *block, size_t size, size_t alignment)
{
    void *moved = NULL;

    LOCK();
    if (make_heap()) {
        moved = {{ n }}_reallocate(&shared_heap, block, size, alignment);
    }
{%- if traces %}
    if (moved != NULL) {
        FREED(block, 0U);
        ALLOCATED(moved, size);
    }
{%- endif %}
    UNLOCK();
    if (moved == NULL) {
        REFUSED(size);
    }
    return moved;
}

void {{ n }}_system_free(void *block)
{
    if (block != NULL) {
{%- if traces %}
        size_t bytes;

        LOCK();
        bytes = {{ n }}_usable_size(&shared_heap, block);
{%- if tells %}
        if (bytes == 0U) {
            UNLOCK(); /* {{ N }}_ON_ERROR was told that this is no block */
            return;
        }
{%- endif %}
        FREED(block, bytes);
{%- else %}
        LOCK();
{%- endif %}
{%- if in_order %}
        if (!{{ n }}_free(&shared_heap, block)) {
            MUST(false); /* blocks are freed last in, first out: this one stays used */
        }
{%- else %}
        {{ n }}_free(&shared_heap, block);
{%- endif %}
        UNLOCK();
    }
}

size_t {{ n }}_system_usable_size(const void *block)
{
    size_t bytes = 0U;

    if (block != NULL) {
        LOCK();
        bytes = {{ n }}_usable_size(&shared_heap, block);
        UNLOCK();
    }
    return bytes;
}

struct {{ n }}_statistics {{ n }}_system_statistics(void)
{
    struct {{ n }}_statistics counts = { 0 };

    LOCK();
    if (make_heap()) {
        counts = {{ n }}_statistics(&shared_heap);
    }
    UNLOCK();
    return counts;
}

unsigned int {{ n }}_system_check(void)
{
    unsigned int broken = 0U;

    LOCK();
    if (make_heap()) {
        broken = {{ n }}_check(&shared_heap);
    }
    UNLOCK();
    return broken;
}
