// The test bench of page_unit.
//
//   page_unit VECTORS    directed and random tests against a model of bits, then every line of the file that
//                        `cargo run -p heapsmith --example search_unit vectors` writes; exit code 1 at the first difference
//   page_unit --serve    carries out lines from standard input and answers on standard output, for `search_unit drive`
//
// The unit is built for pages of PAGE bytes and objects from SMALLEST, with words of 32 bits.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "Vpage_unit.h"
#include "verilated.h"

namespace {

constexpr unsigned kPage = PAGE, kSmallest = SMALLEST, kBits = 32;
constexpr unsigned kLeaves = kPage / kSmallest;
// As in unit_pkg.sv.
enum Op : unsigned { kAllocate, kFree, kLoad, kStore };

constexpr unsigned log2_of(unsigned number) { return number <= 1 ? 0 : 1 + log2_of(number / 2); }
constexpr unsigned kClasses = log2_of(kLeaves);

unsigned objects_of(unsigned cls) { return kLeaves >> cls; }
unsigned words_of(unsigned cls) { return (objects_of(cls) + kBits - 1) / kBits; }

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "page_unit: %s\n", what.c_str());
  std::exit(1);
}

// The unit and its clock. One call of `request` is one cycle.
class Simulation {
 public:
  Simulation() {
    unit_.rst_ni = 0;
    unit_.valid_i = 0;
    tick();
    unit_.rst_ni = 1;
    tick();
    cycles_ = 0;
  }

  struct Answer {
    bool any;
    unsigned object;
    uint32_t data;
  };

  Answer request(Op op, unsigned cls, unsigned object = 0, unsigned word = 0, uint32_t data = 0) {
    unit_.valid_i = 1;
    unit_.op_i = op;
    unit_.class_i = cls;
    unit_.object_i = object;
    unit_.word_i = word;
    unit_.data_i = data;
    unit_.eval();
    const Answer answer{static_cast<bool>(unit_.any_o), unit_.object_o, unit_.data_o};
    tick();
    unit_.valid_i = 0;
    return answer;
  }

  // A cycle in which nothing is asked, whatever else is at the inputs.
  void idle(unsigned op, unsigned cls, unsigned object) {
    unit_.valid_i = 0;
    unit_.op_i = op;
    unit_.class_i = cls;
    unit_.object_i = object;
    tick();
  }

  unsigned long cycles() const { return cycles_; }

 private:
  void tick() {
    unit_.clk_i = 0;
    unit_.eval();
    unit_.clk_i = 1;
    unit_.eval();
    ++cycles_;
  }

  Vpage_unit unit_;
  unsigned long cycles_ = 0;
};

// What the unit must do: bits of free objects, a vector a class.
class Model {
 public:
  Model() {
    for (unsigned cls = 0; cls < kClasses; ++cls) free_.emplace_back(objects_of(cls), false);
  }

  int first(unsigned cls) const {
    for (unsigned object = 0; object < objects_of(cls); ++object)
      if (free_[cls][object]) return static_cast<int>(object);
    return -1;
  }

  void set(unsigned cls, unsigned object, bool free) { free_[cls][object] = free; }

  void load(unsigned cls, unsigned word, uint32_t data) {
    for (unsigned bit = 0; bit < kBits; ++bit)
      if (word * kBits + bit < objects_of(cls)) free_[cls][word * kBits + bit] = data >> bit & 1;
  }

  uint32_t store(unsigned cls, unsigned word) const {
    uint32_t data = 0;
    for (unsigned bit = 0; bit < kBits; ++bit)
      if (word * kBits + bit < objects_of(cls)) data |= static_cast<uint32_t>(free_[cls][word * kBits + bit]) << bit;
    return data;
  }

 private:
  std::vector<std::vector<bool>> free_;
};

// The unit and the model, asked the same.
struct Pair {
  Simulation unit;
  Model model;

  int allocate(unsigned cls) {
    const auto answer = unit.request(kAllocate, cls);
    const int wanted = model.first(cls);
    const int got = answer.any ? static_cast<int>(answer.object) : -1;
    if (got != wanted)
      fail("class " + std::to_string(cls) + ": object " + std::to_string(got) + " instead of " + std::to_string(wanted));
    if (got >= 0) model.set(cls, got, false);
    return got;
  }

  void free(unsigned cls, unsigned object) {
    unit.request(kFree, cls, object);
    model.set(cls, object, true);
  }

  void load(unsigned cls, unsigned word, uint32_t data) {
    unit.request(kLoad, cls, 0, word, data);
    model.load(cls, word, data);
  }

  void store(unsigned cls, unsigned word) {
    const uint32_t got = unit.request(kStore, cls, 0, word).data, wanted = model.store(cls, word);
    if (got != wanted)
      fail("class " + std::to_string(cls) + ", word " + std::to_string(word) + ": " + std::to_string(got) + " instead of " +
           std::to_string(wanted));
  }

  // Every bit of every class, none of which a store changes.
  void compare() {
    for (unsigned cls = 0; cls < kClasses; ++cls)
      for (unsigned word = 0; word < words_of(cls); ++word) store(cls, word);
  }
};

// Pages that fill and empty, object by object, in every class.
void directed() {
  Pair pair;
  for (unsigned cls = 0; cls < kClasses; ++cls) {
    if (pair.allocate(cls) != -1) fail("a unit after its reset holds no page");
    for (unsigned word = 0; word < words_of(cls); ++word) pair.load(cls, word, ~0u);
  }
  pair.compare();
  for (unsigned cls = 0; cls < kClasses; ++cls) {
    for (unsigned object = 0; object < objects_of(cls); ++object)
      if (pair.allocate(cls) != static_cast<int>(object)) fail("objects are taken in order");
    if (pair.allocate(cls) != -1) fail("a full page has an object");
    pair.compare();
    for (unsigned object = 0; object < objects_of(cls); ++object) {
      // The one free object of the page, wherever it is; then it is freed twice.
      pair.free(cls, object);
      if (pair.allocate(cls) != static_cast<int>(object)) fail("the only free object is found");
      pair.free(cls, object);
      pair.free(cls, object);
      if (pair.allocate(cls) != static_cast<int>(object) || pair.allocate(cls) != -1) fail("a second free changes nothing");
      pair.unit.idle(kFree, cls, object);
      if (pair.allocate(cls) != -1) fail("without a request nothing changes");
    }
    for (unsigned object = objects_of(cls); object-- > 0;) {
      pair.free(cls, object);
      pair.compare();
    }
  }
}

void random_requests(unsigned seed, unsigned long requests) {
  std::mt19937 random(seed);
  Pair pair;
  for (unsigned long number = 0; number < requests; ++number) {
    const unsigned cls = random() % kClasses, object = random() % objects_of(cls);
    switch (random() % 16) {
      case 0: pair.load(cls, random() % words_of(cls), random() & random()); break;
      case 1: pair.store(cls, random() % words_of(cls)); break;
      case 2: pair.unit.idle(random() % 4, cls, object); break;
      case 3: case 4: case 5: case 6: case 7: case 8: pair.free(cls, object); break;
      default: pair.allocate(cls);
    }
  }
  pair.compare();
}

// `free` answers nothing and is done after its cycle: the very next request may take what was freed.
void free_takes_a_cycle() {
  Simulation unit;
  const unsigned object = kLeaves - 1;
  const unsigned long before = unit.cycles();
  unit.request(kFree, 0, object);
  const auto next = unit.request(kAllocate, 0);
  const unsigned long taken = unit.cycles() - before;
  if (taken != 2 || !next.any || next.object != object) fail("free and allocate of the same object take two cycles");
  std::printf("free %u in cycle 1, allocate answers %u in cycle 2\n", object, next.object);
}

// A line of the golden vectors; false at the end.
struct Line {
  Op op;
  unsigned cls, number;
  uint32_t word;
  bool none;
};

bool read_line(FILE* file, Line& line, bool answers) {
  char text[128], verb[16], answer[32] = "-";
  if (!std::fgets(text, sizeof text, file)) return false;
  line = {};
  if (std::sscanf(text, "%15s %u", verb, &line.cls) != 2 || line.cls >= kClasses) fail(std::string("no request: ") + text);
  const std::string name = verb;
  int fields = 0, wanted = 1;
  if (name == "allocate") {
    line.op = kAllocate;
    wanted = answers ? 1 : fields;
    if (answers) fields = std::sscanf(text, "%*s %*u %31s", answer);
    line.none = std::strcmp(answer, "-") == 0;
    line.number = static_cast<unsigned>(std::atoi(answer));
  } else if (name == "free") {
    line.op = kFree;
    fields = std::sscanf(text, "%*s %*u %u", &line.number);
  } else if (name == "load" || name == "store") {
    line.op = name == "load" ? kLoad : kStore;
    wanted = name == "load" || answers ? 2 : 1;
    fields = std::sscanf(text, "%*s %*u %u %x", &line.number, &line.word);
  }
  if (fields != wanted) fail(std::string("no request: ") + text);
  return true;
}

void golden(const char* path) {
  FILE* file = std::fopen(path, "r");
  if (!file) fail(std::string("cannot read ") + path);
  Simulation unit;
  unsigned long number = 0;
  for (Line line; read_line(file, line, true);) {
    ++number;
    const unsigned object = line.op == kFree ? line.number : 0;
    const auto answer = unit.request(line.op, line.cls, object, line.op == kFree ? 0 : line.number, line.word);
    const bool agrees = line.op == kAllocate ? answer.any != line.none && (line.none || answer.object == line.number)
                        : line.op == kStore  ? answer.data == line.word
                                             : true;
    if (!agrees) fail("line " + std::to_string(number) + " of " + path + ": the heap and the unit differ");
  }
  std::fclose(file);
  if (number == 0) fail(std::string("no vectors in ") + path);
  std::printf("%lu requests of the heap, one cycle each: %lu cycles\n", number, unit.cycles());
}

void serve() {
  Simulation unit;
  for (Line line; read_line(stdin, line, false);) {
    const unsigned object = line.op == kFree ? line.number : 0;
    const auto answer = unit.request(line.op, line.cls, object, line.op == kFree ? 0 : line.number, line.word);
    if (line.op == kAllocate && answer.any) std::printf("%u\n", answer.object);
    if (line.op == kAllocate && !answer.any) std::puts("-");
    if (line.op == kStore) std::printf("%x\n", answer.data);
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Verilated::commandArgs(argc, argv);
  if (argc == 2 && std::string(argv[1]) == "--serve") {
    serve();
    return 0;
  }
  directed();
  for (unsigned seed = 1; seed <= 8; ++seed) random_requests(seed, 20000);
  free_takes_a_cycle();
  if (argc == 2) golden(argv[1]);
  std::printf("page_unit P=%u S=%u: directed and random tests passed\n", kPage, kSmallest);
  return 0;
}
