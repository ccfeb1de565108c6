// Small random programs for tests of races: some of any accesses, and some that cannot race by construction.
#pragma once

#include <string>

#include "base/random.h"
#include "layout/dispatch.h"

namespace vyre::test {

struct RaceProgram {
  std::string text;
  layout::Groups groups{1, 1, 1};
};

/// Two to four invocations with a few accesses each to the words of a storage buffer `a` (three words) and of
/// workgroup memory `s` (three words), under conditions and between barriers. Most race.
inline RaceProgram racy_program(uint64_t seed, uint64_t index) {
  RandomStream random(seed, index);
  const auto below = [&](uint32_t n) { return random.next() % n; };
  const uint32_t members = 2 + below(2);
  RaceProgram out;
  if (members == 2 && below(3) == 0) out.groups.x = 2;
  uint32_t names = 0;
  std::string last = "0";
  const auto at = [&] {
    switch (below(5)) {
      case 0: return std::string("l");
      case 1: return std::string("(l + 1) % 3");
      case 2: return std::string("i");
      case 3: return last + " % 3";
      default: return std::to_string(below(3));
    }
  };
  const auto access = [&]() -> std::string {
    const bool storage = below(3) != 0;
    const std::string place = (storage ? "a[" : "s[") + at() + "]";
    const uint32_t kind = below(storage ? 4 : 2);
    if (kind == 0) return place + " = " + std::to_string(1 + below(3)) + ";";
    const std::string name = "v" + std::to_string(names++);
    if (kind == 1) return "let " + name + " = " + place + "; last = " + name + ";";
    if (kind == 2) return "let " + name + " = atomic_or(" + place + ", 0); last = " + name + ";";
    return "let " + name + " = atomic_add(" + place + ", 1);";
  };
  std::string body;
  const uint32_t statements = 2 + below(3);
  for (uint32_t n = 0; n < statements; ++n) {
    switch (below(6)) {
      case 0: body += "  barrier;\n"; break;
      case 1: body += "  if (l == " + std::to_string(below(members)) + ") { " + access() + " }\n"; break;
      case 2: body += "  if (last == 1) { " + access() + " }\n"; break;
      default: body += "  " + access() + "\n"; break;
    }
    last = "last";
  }
  out.text = "program racy(read_write a: u32 @0, workgroup s: u32[3]) workgroup(" + std::to_string(members) +
             ", 1, 1) {\n  let l = local_id.x;\n  let i = invocation_id.x;\n  let last = 0;\n" + body + "}\n";
  return out;
}

/// Cannot race: between two barriers each invocation has words of its own, which go round from one interval
/// to the next; a workgroup has a part of `a` for itself; what is shared is reached by atomics, and nothing
/// depends on what they give.
inline RaceProgram race_free_program(uint64_t seed, uint64_t index) {
  RandomStream random(seed, index);
  const auto below = [&](uint32_t n) { return random.next() % n; };
  const uint32_t members = 2 + below(3);
  RaceProgram out;
  out.groups.x = 1 + below(3);
  const std::string n = std::to_string(members);
  std::string body;
  uint32_t names = 0;
  const uint32_t intervals = 1 + below(4);
  for (uint32_t interval = 0; interval < intervals; ++interval) {
    if (interval != 0) body += "  barrier;\n";
    const std::string own = "(l + " + std::to_string(below(members)) + ") % " + n;
    const uint32_t accesses = 1 + below(3);
    for (uint32_t k = 0; k < accesses; ++k) {
      const std::string place =
          below(2) == 0 ? "s[" + own + "]" : "a[workgroup_id.x * " + n + " + " + own + "]";
      switch (below(4)) {
        case 0: body += "  " + place + " = " + std::to_string(below(9)) + ";\n"; break;
        case 1: body += "  " + place + " = " + place + " + l;\n"; break;
        case 2:
          body += "  let t" + std::to_string(names++) + " = atomic_add(c[" + std::to_string(below(2)) +
                  "], 1);\n";
          break;
        default: {
          const std::string name = "t" + std::to_string(names++);
          body +=
              "  let " + name + " = " + place + ";\n  if (" + name + " < 3) {\n    " + place + " = 4;\n  }\n";
        }
      }
    }
  }
  out.text = "program race_free(read_write a: u32 @0, read_write c: u32 @1, workgroup s: u32[4]) workgroup(" +
             n + ", 1, 1) {\n  let l = local_id.x;\n" + body + "}\n";
  return out;
}

}  // namespace vyre::test
