
bool {{ n }}_reserve_handles({{ n }} *heap, size_t handles)
{
    bool reserved;

    {{ N }}_LOCK(heap);
    reserved = masters_reserve(heap, handles);
    {{ N }}_UNLOCK(heap);
    return reserved;
}

{{ n }}_handle {{ n }}_allocate_movable({{ n }} *heap, size_t size)
{
    {{ n }}_handle handle;

    {{ N }}_LOCK(heap);
    handle.master = movable_allocate(heap, size);
{%- if "counters" in extras %}
    (void)count_request(heap, size, 0U, (handle.master == 0U) ? 0U : load(heap, handle.master));
{%- endif %}
    {{ N }}_TRACE(heap, 'a', NULL, pointer_to(heap, (handle.master == 0U) ? 0U : load(heap, handle.master)), size, 0U);
    {{ N }}_UNLOCK(heap);
{{- out_of_memory("(handle.master == 0U) && (size > 0U)") }}
    return handle;
}

void {{ n }}_free_movable({{ n }} *heap, {{ n }}_handle handle)
{
    if (handle.master != 0U) {
        {{ N }}_LOCK(heap);
        {{ N }}_TRACE(heap, 'f', pointer_to(heap, load(heap, handle.master)), NULL, 0U, 0U);
{%- if "counters" in extras %}
        count_free(heap, block_bytes(heap, load(heap, handle.master)));
{%- endif %}
        movable_free(heap, handle.master);
        {{ N }}_UNLOCK(heap);
    }
}

void *{{ n }}_get(const {{ n }} *heap, {{ n }}_handle handle)
{
    void *block;

    {{ N }}_LOCK(heap);
    block = pointer_to(heap, load(heap, handle.master));
    {{ N }}_UNLOCK(heap);
    return block;
}

void *{{ n }}_pin({{ n }} *heap, {{ n }}_handle handle)
{
    void *block;

    {{ N }}_LOCK(heap);
    store(heap, load(heap, handle.master) - OWNER, 0U);
    block = pointer_to(heap, load(heap, handle.master));
    {{ N }}_UNLOCK(heap);
    return block;
}

void {{ n }}_unpin({{ n }} *heap, {{ n }}_handle handle)
{
    {{ N }}_LOCK(heap);
    store(heap, load(heap, handle.master) - OWNER, handle.master);
    {{ N }}_UNLOCK(heap);
}

size_t {{ n }}_max_moved(size_t size)
{
    const Index order = order_for(size, 1U);
    const size_t levels = (order < NO_ORDER) ? ((size_t)order - MIN_ORDER) : 0U;

    if (levels == 0U) {
        return 0U;
    }
    if ((levels * WORD) > (SIZE_MAX >> order)) {
        return SIZE_MAX;
    }
    return (levels * WORD) << order;
}
