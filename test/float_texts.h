// The file tests that are the same for every float type: one text of test/floats is three files of test/run.
//
// test/floats/fadd.vyre is test/run/fadd-f16.vyre, fadd-bf16.vyre and fadd-f32.vyre: the type is `$T` there
// and values are named by what they are, as in the operations on floats (ops/floating.h, which writes a text
// at a type). Two things are of tests alone:
//
//   // f32 run: a=[0x3dcccccd] ...   a run of that type and no other
//   where each run of a program is of one element, a last run has all of them, an element an invocation
//
// The expected values are those that stand in the texts, worked out by hand. Programs that want files, the
// scripts among them, have them from write_float_texts.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "operation_files.h"
#include "ops/floating.h"
#include "spec/types.h"

namespace vyre::test {

/// The runs of one type: "// f32 run:" as "// run:", and those of the others not at all.
inline std::string runs_at_type(std::string_view text, spec::DataType type) {
  std::string out;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n') + 1);
    text.remove_prefix(line.size());
    bool wanted = true;
    for (const spec::DataType of : ops::kFloatTypes) {
      const std::string begin = "// " + std::string(spec::text(of)) + " run:";
      if (!line.starts_with(begin)) continue;
      wanted = of == type;
      out += wanted ? "// run:" : "";
      line.remove_prefix(begin.size());
    }
    if (wanted) out += line;
  }
  return out;
}

/// The run of all elements: that of "a=[1] => out=[2]" and "a=[3] => out=[4]" is "a=[1, 3] => out=[2, 4]".
/// Empty where a program has one run, or runs of other than one element.
inline std::string run_of_all(std::string_view text) {
  if (!text.contains("invocation_id.x")) return {};
  std::vector<std::pair<std::string, std::string>> buffers;  // " => out", and its elements
  size_t runs = 0;
  for (size_t at = 0; (at = text.find("\n// run:", at)) != std::string_view::npos; ++runs) {
    at += std::string_view("\n// run:").size();
    std::string_view line = text.substr(at, text.find('\n', at) - at);
    line = line.substr(0, line.find("  //"));
    for (size_t k = 0; !line.empty(); ++k) {
      const size_t open = line.find("=["), close = line.find(']');
      if (open == std::string_view::npos || close == open + 2) return {};
      const std::string_view element = line.substr(open + 2, close - open - 2);
      if (element.contains(',')) return {};
      if (runs == 0)
        buffers.emplace_back(line.substr(0, open), element);
      else
        buffers.at(k).second += ", " + std::string(element);
      line.remove_prefix(close + 1);
    }
  }
  if (runs < 2) return {};
  std::string out = "// run:";
  for (const auto& [name, elements] : buffers) out += name + "=[" + elements + "]";
  return out + "  // all at once\n";
}

/// A text of test/floats at a type.
inline std::string float_text(std::string_view text, spec::DataType type) {
  std::string out = ops::at_type(runs_at_type(text, type), type);
  const std::string all = run_of_all(out);
  const size_t end = out.find("\n// oracle:");
  return end == std::string::npos ? out + all : out.insert(end + 1, all);
}

/// ("test/run/fadd-bf16.vyre", its text) for each text of test/floats and each type, sorted.
inline std::vector<std::pair<std::string, std::string>> float_texts() {
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto& entry :
       std::filesystem::directory_iterator(operation_files::source() / "test" / "floats")) {
    if (entry.path().extension() != ".vyre") continue;
    const std::string text = operation_files::content(entry.path());
    for (const spec::DataType type : ops::kFloatTypes) {
      out.emplace_back(
          "test/run/" + entry.path().stem().string() + "-" + std::string(spec::text(type)) + ".vyre",
          float_text(text, type));
    }
  }
  std::ranges::sort(out);
  return out;
}

}  // namespace vyre::test
