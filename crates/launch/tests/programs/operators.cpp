/* What C++ asks of new and delete, with the library's operators or, with OWN, with some of the program's. */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <vector>

#define HOLDS(what) do { if (!(what)) { printf("line %d: %s\n", __LINE__, #what); exit(1); } } while (0)

#ifdef OWN
static int made;
void *operator new(size_t size) {
    made++;
    if (void *block = malloc(size))
        return block;
    throw std::bad_alloc();
}
void operator delete(void *block) noexcept { free(block); }
void operator delete(void *block, size_t) noexcept { free(block); }
#endif

struct alignas(128) Wide { char bytes[256]; };
struct Base { virtual ~Base() = default; char bytes[40]; };
struct Derived : Base { ~Derived() override = default; char more[100]; };

static int handled;
static void handler() {
    handled++;
    std::set_new_handler(nullptr);
}

static volatile size_t too_much = PTRDIFF_MAX - 64;

static void refuses() {
    int thrown = 0;
    std::set_new_handler(handler);
    try {
        (void)::operator new(too_much);
    } catch (const std::bad_alloc &) {
        thrown++;
    }
    try {
        (void)::operator new[](too_much);
    } catch (const std::bad_alloc &) {
        thrown++;
    }
    try {
        (void)::operator new(too_much, std::align_val_t(64));
    } catch (const std::bad_alloc &) {
        thrown++;
    }
    HOLDS(thrown == 3);
#ifndef OWN
    HOLDS(handled == 1);
#endif
    HOLDS(!::operator new(too_much, std::nothrow) && !::operator new[](too_much, std::nothrow));
}

int main() {
    std::unique_ptr<Base> base(new Derived);
    std::unique_ptr<Wide[]> wide(new Wide[3]);
    HOLDS((uintptr_t)wide.get() % 128 == 0);
    std::unique_ptr<std::string[]> strings(new std::string[7]);
    for (int i = 0; i < 7; i++)
        strings[i].assign(i * 13, 'x');
    std::map<std::string, std::vector<int>> map;
    for (int i = 0; i < 2000; i++)
        map[std::to_string(i % 97)].push_back(i);
    for (int i = 0; i < 97; i += 2)
        map.erase(std::to_string(i));
    delete new Wide;
    delete new (std::nothrow) int(3);
    delete[] new (std::nothrow) char[0];
    ::operator delete(::operator new(24), std::nothrow);
    ::operator delete(::operator new(24), (size_t)24);
    ::operator delete[](::operator new[](24), (size_t)24);
    ::operator delete(nullptr);
    refuses();
#ifdef OWN
    HOLDS(made > 100);
#endif
    puts("all hold");
    return 0;
}
