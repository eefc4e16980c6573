// Runs a program on the simulated system, and counts its cycles.
//
//   system PROGRAM [--log FILE] [--trace FILE]
//
// PROGRAM is an image of memory from address 0; a trace is put at kTrace. It prints the result, cycles and instructions of the whole program,
// and, if it is marked, those spent in operations of the heap and, of these, in exchanges of bitmaps; what marks take themselves is taken off.
// The log has `a SIZE OFFSET`, `f OFFSET` or `r OFFSET SIZE OFFSET` a line.
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

constexpr uint32_t kMemory = 32u << 20, kTrace = 24u << 20, kSignals = 0x80000000u;
constexpr unsigned kMiss = 6;
// As in core/programs/machine.h.
enum Signal : uint32_t { kEnd, kManaging, kWorking, kExchanging, kExchanged, kSize, kBlock, kFreed, kResult, kResized };
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

struct Count {
  uint64_t cycles = 0, instructions = 0;
};

// What passes between two marks, the marks included.
struct Span {
  Count since, sum;
  uint64_t times = 0;
  bool open = false;

  void begin(const Count& now) { since = now, open = true; }
  void end(const Count& now) {
    if (!open) fail("a mark without its beginning");
    sum.cycles += now.cycles - since.cycles, sum.instructions += now.instructions - since.instructions;
    ++times, open = false;
  }
};

// Puts a file into memory.
void read(const char* name, std::vector<uint32_t>& memory, uint32_t at) {
  FILE* file = std::fopen(name, "rb");
  if (!file || std::fread(memory.data() + at / 4, 1, kMemory - at, file) == 0) fail("cannot read the program or its trace");
  if (std::fgetc(file) != EOF) fail("the program or its trace does not fit");
  std::fclose(file);
}

}  // namespace

int main(int argc, char** argv) {
  Verilated::commandArgs(argc, argv);
  std::vector<uint32_t> memory(kMemory / 4);
  FILE* log = nullptr;
  if (argc < 2) fail("say which program");
  read(argv[1], memory, 0);
  for (int at = 2; at + 1 < argc; at += 2) {
    if (!std::strcmp(argv[at], "--log") && !(log = std::fopen(argv[at + 1], "w"))) fail("cannot write the log");
    if (!std::strcmp(argv[at], "--trace")) read(argv[at + 1], memory, kTrace);
  }

  Vsystem system;
  Bus instructions, data;
  Span managing, exchanging, empty;
  Count now;
  uint32_t size = 0, resized = 0;
  for (; now.cycles < 4000000000ull; ++now.cycles) {
    const uint64_t cycle = now.cycles;
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
            const double times = empty.times ? static_cast<double>(empty.times) : 1;
            const double mark = empty.sum.cycles / times, marking = empty.sum.instructions / times;
            const double marks = managing.times + 2.0 * exchanging.times;
            std::printf("cycles %llu\ninstructions %llu\noperations %llu\nmanaging %.0f\nof them %.0f\nexchanges %llu\nexchanging %.0f\n",
                        static_cast<unsigned long long>(cycle), static_cast<unsigned long long>(now.instructions),
                        static_cast<unsigned long long>(managing.times), managing.sum.cycles - mark * marks,
                        managing.sum.instructions - marking * marks, static_cast<unsigned long long>(exchanging.times),
                        exchanging.sum.cycles - mark * exchanging.times);
          }
          return value != 0;
        case kManaging: (empty.times < kEmpty ? empty : managing).begin(now); break;
        case kWorking: (empty.times < kEmpty ? empty : managing).end(now); break;
        case kExchanging: exchanging.begin(now); break;
        case kExchanged: exchanging.end(now); break;
        case kSize: size = value; break;
        case kBlock:
          if (log && resized) std::fprintf(log, "r %u %u %u\n", resized - 1, size, value);
          if (log && !resized) std::fprintf(log, "a %u %u\n", size, value);
          resized = 0;
          break;
        case kFreed: if (log) std::fprintf(log, "f %u\n", value); break;
        case kResized: resized = value + 1; break;
        case kResult: std::printf("result %u\n", value); break;
        default: fail("no such signal");
      }
    }
    system.eval();
    now.instructions += system.retired_o;
    system.clk_i = 1;
    system.eval();
  }
  fail("the program does not end");
}
