// Objects by new, plain, in arrays, and aligned beyond malloc's own.
#include <memory>
#include <string>
#include <vector>

struct alignas(128) Wide {
    char bytes[384];
};

int main() {
    auto plain = std::make_unique<char[]>(6001);
    auto wide = std::make_unique<Wide>();
    std::vector<int> numbers(1501);
    std::string text(6005, 'x');
    return text.size() + numbers.size() == 7506 && reinterpret_cast<std::size_t>(wide.get()) % 128 == 0 ? 0 : 1;
}
