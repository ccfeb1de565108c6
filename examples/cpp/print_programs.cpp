// print_programs: the programs of programs.h as text, all or the one that is named.
//
//   cmake -S examples/cpp -B build && cmake --build build && build/print_programs_cpp [NAME]
#include <cstdio>
#include <string_view>

#include "programs.h"

int main(int argc, char** argv) {
  bool found = false;
  for (const examples::Example& example : examples::kExamples) {
    if (argc > 1 && example.name != std::string_view(argv[1])) continue;
    std::fputs(vyre::text::print(example.build()).c_str(), stdout);
    found = true;
  }
  return found ? 0 : 1;
}
