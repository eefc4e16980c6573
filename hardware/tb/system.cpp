// Runs a program on the simulated system, and counts its cycles.
//
//   system PROGRAM [--log FILE]
//
// PROGRAM is an image of memory from address 0. It prints the result, the cycles of the whole program, and, if it is marked, those spent in
// operations of the heap and, of these, in exchanges of bitmaps; what marks take themselves is taken off. The log has `a SIZE OFFSET` or
// `f OFFSET` a line.
//
// Memory answers like a second level cache that always hits (Li, Mohanty and Kavi, Table II): the first word of a line after 6 cycles,
// the others one by one; a write at once.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "Vsystem.h"
#include "verilated.h"

namespace {

constexpr uint32_t kMemory = 32u << 20, kSignals = 0x80000000u;
constexpr unsigned kMiss = 6;
// As in core/programs/machine.h.
enum Signal : uint32_t { kEnd, kManaging, kWorking, kExchanging, kExchanged, kSize, kBlock, kFreed, kResult };
constexpr unsigned kEmpty = 16;

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "system: %s\n", what);
  std::exit(1);
}

// Answers a bus: of a line the first word late, then a word a cycle.
struct Bus {
  unsigned waited = 0;
  uint32_t next = ~0u;

  bool answers(bool valid, bool at_once, uint32_t word) {
    if (!valid) {
      waited = 0;
      next = ~0u;
      return false;
    }
    if (at_once || word == next || ++waited >= kMiss) {
      waited = 0;
      // The last word of a line has none behind it.
      next = !at_once && word % 8 != 7 ? word + 1 : ~0u;
      return true;
    }
    return false;
  }
};

// Cycles between two marks, less what the marks take.
struct Span {
  uint64_t since = 0, cycles = 0, times = 0;
  bool open = false;

  void begin(uint64_t now) { since = now, open = true; }
  void end(uint64_t now) {
    if (!open) fail("a mark without its beginning");
    cycles += now - since, ++times, open = false;
  }
};

}  // namespace

int main(int argc, char** argv) {
  Verilated::commandArgs(argc, argv);
  std::vector<uint32_t> memory(kMemory / 4);
  FILE *image = argc > 1 ? std::fopen(argv[1], "rb") : nullptr, *log = nullptr;
  if (!image || std::fread(memory.data(), 1, kMemory, image) == 0) fail("cannot read the program");
  std::fclose(image);
  for (int at = 2; at + 1 < argc; at += 2) {
    if (!std::strcmp(argv[at], "--log") && !(log = std::fopen(argv[at + 1], "w"))) fail("cannot write the log");
  }

  Vsystem system;
  Bus instructions, data;
  Span managing, exchanging, empty;
  uint64_t cycle = 0;
  uint32_t size = 0;
  for (; cycle < 4000000000ull; ++cycle) {
    system.rst_i = cycle < 8;
    system.clk_i = 0;
    system.i_ack_i = instructions.answers(system.i_valid_o && cycle >= 8, false, system.i_address_o);
    if (system.i_ack_i) system.i_data_i = memory[system.i_address_o % (kMemory / 4)];
    const uint32_t word = system.d_address_o;
    const bool signal = word >= kSignals / 4;
    system.d_ack_i = data.answers(system.d_valid_o && cycle >= 8, system.d_write_o || signal, word);
    if (system.d_ack_i && !signal && system.d_write_o) {
      uint32_t mask = 0;
      for (unsigned lane = 0; lane < 4; ++lane) mask |= (system.d_select_o >> lane & 1) ? 0xffu << 8 * lane : 0;
      uint32_t& at = memory[word % (kMemory / 4)];
      at = (at & ~mask) | (system.d_data_o & mask);
    } else if (system.d_ack_i && !signal) {
      system.d_data_i = memory[word % (kMemory / 4)];
    } else if (system.d_ack_i) {
      if (!system.d_write_o) fail("signals are written, not read");
      const uint32_t value = system.d_data_o;
      switch (word % 16) {
        case kEnd:
          if (value != 0) std::fprintf(stderr, "system: the program ends with %u\n", value);
          if (log) std::fclose(log);
          if (value == 0) {
            const double mark = empty.times ? static_cast<double>(empty.cycles) / empty.times : 0;
            const double exchanges = exchanging.cycles - mark * exchanging.times;
            const double marks = mark * (managing.times + 2.0 * exchanging.times);
            std::printf("cycles %llu\noperations %llu\nmanaging %.0f\nexchanges %llu\nexchanging %.0f\n",
                        static_cast<unsigned long long>(cycle), static_cast<unsigned long long>(managing.times),
                        managing.cycles - marks, static_cast<unsigned long long>(exchanging.times), exchanges);
          }
          return value != 0;
        case kManaging: (empty.times < kEmpty ? empty : managing).begin(cycle); break;
        case kWorking: (empty.times < kEmpty ? empty : managing).end(cycle); break;
        case kExchanging: exchanging.begin(cycle); break;
        case kExchanged: exchanging.end(cycle); break;
        case kSize: size = value; break;
        case kBlock: if (log) std::fprintf(log, "a %u %u\n", size, value); break;
        case kFreed: if (log) std::fprintf(log, "f %u\n", value); break;
        case kResult: std::printf("result %u\n", value); break;
        default: fail("no such signal");
      }
    }
    system.eval();
    system.clk_i = 1;
    system.eval();
  }
  fail("the program does not end");
}
