/* {{ name }}.hpp: the heap {{ name }} for C++17, emitted by heapsmith {{ version }}.
 *
 *     {{ n }}_resource      a std::pmr::memory_resource over a heap of {{ name }}.h: for containers of std::pmr, and as an upstream
{%- if shared %}
 *     {{ n }}_shared        the same over the heap that all of the program shares ({{ name }}_system.h)
 *
 * {{ name }}_new.cpp has the operators new and delete on the shared heap: link it, or leave it out.
{%- endif %}
 *
 * A resource throws std::bad_alloc where the heap has no room; without exceptions it calls std::abort.
 */
#ifndef {{ N }}_HPP
#define {{ N }}_HPP

#include <cstddef>
#include <cstdlib>
#include <memory_resource>
#include <new>

#include "{{ name }}.h"
{%- if shared %}
#include "{{ name }}_system.h"
{%- endif %}

/* A resource over one heap, which outlives it. Takes the heap's own lock alone. */
class {{ n }}_resource final : public std::pmr::memory_resource {
public:
    explicit {{ n }}_resource({{ n }} &heap) noexcept : heap_(&heap) {}

    {{ n }} &heap() const noexcept { return *heap_; }

private:
    void *do_allocate(std::size_t bytes, std::size_t alignment) override
    {
        void *const block = {{ n }}_allocate_aligned(heap_, (bytes > 0U) ? bytes : 1U, alignment);

        if (block == nullptr) {
#if defined(__cpp_exceptions)
            throw std::bad_alloc();
#else
            std::abort();
#endif
        }
        return block;
    }

    void do_deallocate(void *block, std::size_t, std::size_t) override
    {
        {% if in_order %}(void){% endif %}{{ n }}_free(heap_, block);
    }

    bool do_is_equal(const std::pmr::memory_resource &other) const noexcept override
    {
        const {{ n }}_resource *const same = resource_of(other);

        return (same != nullptr) && (same->heap_ == heap_);
    }

    /* Without type information only a resource itself is known to be equal. */
    const {{ n }}_resource *resource_of(const std::pmr::memory_resource &other) const noexcept
    {
#if defined(__cpp_rtti)
        return dynamic_cast<const {{ n }}_resource *>(&other);
#else
        return (this == &other) ? this : nullptr;
#endif
    }

    {{ n }} *heap_;
};

{%- if shared %}

/* The resource of the shared heap: all of its objects are equal. */
class {{ n }}_shared final : public std::pmr::memory_resource {
private:
    void *do_allocate(std::size_t bytes, std::size_t alignment) override
    {
        void *const block = {{ n }}_system_allocate((bytes > 0U) ? bytes : 1U, alignment);

        if (block == nullptr) {
#if defined(__cpp_exceptions)
            throw std::bad_alloc();
#else
            std::abort();
#endif
        }
        return block;
    }

    void do_deallocate(void *block, std::size_t, std::size_t) override
    {
        {{ n }}_system_free(block);
    }

    bool do_is_equal(const std::pmr::memory_resource &other) const noexcept override
    {
#if defined(__cpp_rtti)
        return dynamic_cast<const {{ n }}_shared *>(&other) != nullptr;
#else
        return this == &other;
#endif
    }
};
{%- endif %}

#endif
