// The test bench of chang_allocator: random requests of every size against a model of bits.
//
// The unit is built for UNITS units of memory, with either interconnection.

#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "Vchang_allocator.h"
#include "verilated.h"

namespace {

constexpr unsigned kUnits = UNITS;

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "chang_allocator: %s\n", what.c_str());
  std::exit(1);
}

class Simulation {
 public:
  Simulation() {
    unit_.rst_ni = 0;
    unit_.valid_i = 0;
    tick();
    unit_.rst_ni = 1;
    tick();
  }

  // The first unit of the block, or -1.
  int allocate(unsigned units) {
    set(1, 0, units, 0);
    const int answer = unit_.any_o ? static_cast<int>(unit_.address_o) : -1;
    tick();
    return answer;
  }

  void free(unsigned address, unsigned units) {
    set(1, 1, units, address);
    tick();
  }

  void idle(bool free, unsigned units, unsigned address) {
    set(0, free, units, address);
    tick();
  }

 private:
  void set(bool valid, bool free, unsigned units, unsigned address) {
    unit_.valid_i = valid;
    unit_.free_i = free;
    unit_.last_i = units - 1;
    unit_.address_i = address;
    unit_.eval();
  }

  void tick() {
    unit_.clk_i = 0;
    unit_.eval();
    unit_.clk_i = 1;
    unit_.eval();
  }

  Vchang_allocator unit_;
};

unsigned block_of(unsigned units) {
  unsigned block = 1;
  while (block < units) block *= 2;
  return block;
}

// The first block of a power of two units that is free and holds the request.
int first(const std::vector<bool>& used, unsigned units) {
  const unsigned block = block_of(units);
  for (unsigned at = 0; at < kUnits; at += block) {
    bool free = true;
    for (unsigned unit = at; unit < at + block; ++unit) free = free && !used[unit];
    if (free) return static_cast<int>(at);
  }
  return -1;
}

void random_requests(unsigned seed, unsigned long requests) {
  std::mt19937 random(seed);
  Simulation unit;
  std::vector<bool> used(kUnits, false);
  std::vector<std::pair<unsigned, unsigned>> live;
  for (unsigned long number = 0; number < requests; ++number) {
    const unsigned choice = random() % 16;
    if (choice == 0) {
      unit.idle(random() & 1, 1 + random() % kUnits, random() % kUnits);
    } else if (choice < 10 || live.empty()) {
      const unsigned most = 1u << random() % (31 - __builtin_clz(kUnits) + 1), units = 1 + random() % most;
      const int got = unit.allocate(units), wanted = first(used, units);
      if (got != wanted)
        fail(std::to_string(units) + " units: block at " + std::to_string(got) + " instead of " + std::to_string(wanted));
      if (got < 0) continue;
      for (unsigned at = 0; at < units; ++at) used[got + at] = true;
      live.emplace_back(got, units);
    } else {
      const unsigned at = random() % live.size();
      const auto [address, units] = live[at];
      unit.free(address, units);
      for (unsigned offset = 0; offset < units; ++offset) used[address + offset] = false;
      live[at] = live.back();
      live.pop_back();
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  Verilated::commandArgs(argc, argv);
  for (unsigned seed = 1; seed <= 8; ++seed) random_requests(seed, 20000);
  std::printf("chang_allocator of %u units: random tests passed\n", kUnits);
  return 0;
}
