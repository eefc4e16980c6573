/* C++ on the emitted heap: objects, containers of std::pmr, and what happens without room. */
#include <cstdint>
#include <cstdio>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "sys_heap.hpp"

#define REQUIRE(condition)                                         \
    do {                                                           \
        if (!(condition)) {                                        \
            std::printf("line %d: %s\n", __LINE__, #condition);    \
            return 1;                                              \
        }                                                          \
    } while (0)

extern "C" unsigned int test_lock(void);
extern "C" void test_unlock(unsigned int before);
extern "C" unsigned int test_lock(void)
{
    return 0U;
}
extern "C" void test_unlock(unsigned int)
{
}

struct alignas(64) Wide {
    char bytes[64];
};

static unsigned int handled = 0U;

static void give_up()
{
    handled++;
    std::set_new_handler(nullptr);
}

int main()
{
    const auto live = [] { return sys_heap_system_statistics().live_blocks; };
    const std::size_t before = live();

    {
        auto number = std::make_unique<int>(7);
        auto wide = std::make_unique<Wide>();
        auto many = std::make_unique<Wide[]>(3);

        REQUIRE(live() == (before + 3U));
        REQUIRE((*number == 7) && ((reinterpret_cast<std::uintptr_t>(wide.get()) % 64U) == 0U));
        REQUIRE((reinterpret_cast<std::uintptr_t>(many.get()) % 64U) == 0U);
    }
    REQUIRE(live() == before);

    alignas(8) static unsigned char region[16384];
    sys_heap heap;
    REQUIRE(sys_heap_init(&heap, region, sizeof(region)));
    sys_heap_resource resource(heap), same(heap);
    sys_heap_shared shared, also_shared;
    (void)same;
    (void)also_shared;
    REQUIRE((resource == resource) && !(shared == resource));
#if defined(__cpp_rtti)
    REQUIRE((resource == same) && (shared == also_shared));
#endif
    {
        std::pmr::vector<std::pmr::string> names(&resource);

        for (int at = 0; at < 10; at++) {
            names.emplace_back("a name that is too long for the object itself");
        }
        REQUIRE(sys_heap_statistics(&heap).live_blocks == 11U);
        REQUIRE(live() == before);
        std::pmr::string other("another name that is too long for the object", &shared);
        REQUIRE(live() == (before + 1U));
    }
    REQUIRE((sys_heap_statistics(&heap).live_blocks == 0U) && (sys_heap_check(&heap) == 0U));

#if defined(__cpp_exceptions)
    bool thrown = false;
    try {
        (void)resource.allocate(100000U);
    } catch (const std::bad_alloc &) {
        thrown = true;
    }
    REQUIRE(thrown);
    std::set_new_handler(give_up);
    thrown = false;
    try {
        (void)::operator new(1000000U);
    } catch (const std::bad_alloc &) {
        thrown = true;
    }
    REQUIRE(thrown && (handled == 1U));
#else
    std::set_new_handler(give_up);
#endif
    void *const none = ::operator new(1000000U, std::nothrow);
    REQUIRE((none == nullptr) && (handled == 1U));
    REQUIRE(sys_heap_system_check() == 0U);
    std::puts("as the documentation says");
    return 0;
}
