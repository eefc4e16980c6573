/* {{ name }}_new.cpp: the operators new and delete of C++17 on the heap {{ name }}, emitted by heapsmith {{ version }}.
 *
 * Those of arrays, and those with a size, are the standard library's, which call these. Where the heap has no room, the handler
 * of std::set_new_handler is called; without one std::bad_alloc is thrown, or, without exceptions, the program aborted.
 */
#include <cstddef>
#include <cstdlib>
#include <new>

#include "{{ name }}_system.h"

namespace {

/* A block, or a null pointer where there is no room and no handler. */
void *block_or_null(std::size_t size, std::size_t alignment)
{
    for (;;) {
        void *const block = {{ n }}_system_allocate((size > 0U) ? size : 1U, alignment);
        const std::new_handler handler = (block == nullptr) ? std::get_new_handler() : nullptr;

        if (handler == nullptr) {
            return block;
        }
        handler();
    }
}

void *block_or_throw(std::size_t size, std::size_t alignment)
{
    void *const block = block_or_null(size, alignment);

    if (block == nullptr) {
#if defined(__cpp_exceptions)
        throw std::bad_alloc();
#else
        std::abort();
#endif
    }
    return block;
}

} // namespace

void *operator new(std::size_t size)
{
    return block_or_throw(size, 0U);
}

void *operator new(std::size_t size, const std::nothrow_t &) noexcept
{
#if defined(__cpp_exceptions)
    try {
        return block_or_null(size, 0U);
    } catch (...) {
        return nullptr; /* the handler gave up */
    }
#else
    return block_or_null(size, 0U);
#endif
}

void operator delete(void *block) noexcept
{
    {{ n }}_system_free(block);
}

void operator delete(void *block, std::size_t) noexcept
{
    {{ n }}_system_free(block);
}

void *operator new(std::size_t size, std::align_val_t alignment)
{
    return block_or_throw(size, static_cast<std::size_t>(alignment));
}

void operator delete(void *block, std::align_val_t) noexcept
{
    {{ n }}_system_free(block);
}

void operator delete(void *block, std::size_t, std::align_val_t) noexcept
{
    {{ n }}_system_free(block);
}
