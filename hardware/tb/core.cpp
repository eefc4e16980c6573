// Runs the program in program.hex on the simulated core and prints what it shows, a pair a line.

#include <cstdio>

#include "Vcore.h"
#include "verilated.h"

int main(int argc, char** argv) {
  Verilated::commandArgs(argc, argv);
  Vcore core;
  unsigned words = 0, first = 0;
  for (unsigned long cycle = 0; cycle < 2000000; ++cycle) {
    core.rst_ni = cycle > 4;
    core.clk_i = 0;
    core.eval();
    if (core.rst_ni && core.done_o) {
      if (core.word_o != 0) std::fprintf(stderr, "core: the program ended with %u\n", core.word_o);
      return core.word_o != 0;
    }
    if (core.rst_ni && core.shown_o) {
      if (words++ % 2 == 0) first = core.word_o;
      else std::printf("%c%u %u\n", first >> 8, first & 255, core.word_o);
    }
    core.clk_i = 1;
    core.eval();
    if (core.rst_ni && core.trap_o) {
      std::fprintf(stderr, "core: an instruction that the core does not know\n");
      return 1;
    }
  }
  std::fprintf(stderr, "core: the program does not end\n");
  return 1;
}
