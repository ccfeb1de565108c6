// Gates 1, 2, 4 and 5: what is asked of an operation's declaration and of its reference function.
#include "admit/gates.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <thread>

#include "admit/code.h"
#include "algebra/file_laws.h"
#include "base/random.h"
#include "check/module.h"
#include "lower/kernel.h"
#include "ref/rows.h"
#include "spec/ops.h"
#include "text/text.h"

namespace vyre::admit {
namespace {

constexpr uint64_t kSeed = 0x61646d6974;  // of the random witnesses; any will do

std::string who(const ops::Operation& operation) {
  return fmt::format("{}@{}", operation.id, operation.version);
}

void refuse(Diagnostics& refusals, DiagCode code, const ops::Operation& operation, std::string what,
            std::string help) {
  refusals.push_back(
      make_diag(code, Span::none(), fmt::format("{}: {}", who(operation), what), std::move(help)));
}

/// The bits that a value of the type has.
uint32_t mask_of(spec::DataType type) {
  if (type == spec::DataType::Bool) return 1;
  const uint32_t bits = spec::value_bits(type);
  return bits >= 32 ? UINT32_MAX : (uint32_t{1} << bits) - 1;
}

/// A value that decides by equality with three numbers or more what is done: an instruction code.
///
/// Two special cases are two special cases; a third number for the same word is a table of what to do, and
/// the choice between its entries is made at run time, for each element again.
std::optional<size_t> dispatch_in(const lower::Kernel& kernel) {
  std::map<uint32_t, std::set<uint32_t>> numbers;  // by value
  std::set<uint32_t> deciding;                     // conditions of ifs and selects
  for (const lower::Inst& inst : kernel.insts) {
    const bool chooses = inst.kind == lower::InstKind::If ||
                         (inst.kind == lower::InstKind::Apply && inst.op == spec::Op::Select);
    if (chooses) deciding.insert(lower::index(kernel.arg(inst, 0)));
  }
  // A slot that is read twice is two values: what is compared is then the slot.
  const auto key = [&](lower::Value v) {
    const lower::Inst& inst = kernel[v];
    return inst.kind == lower::InstKind::Get ? UINT32_MAX - inst.target : lower::index(v);
  };
  for (const uint32_t condition : deciding) {
    const lower::Inst& inst = kernel.insts[condition];
    if (inst.kind != lower::InstKind::Apply || inst.op != spec::Op::Eq) continue;
    for (const auto& [value, number] : {std::pair{0u, 1u}, {1u, 0u}}) {
      const lower::Inst& constant = kernel[kernel.arg(inst, number)];
      if (constant.kind == lower::InstKind::Const) numbers[key(kernel.arg(inst, value))].insert(constant.imm);
    }
  }
  for (const auto& [value, compared] : numbers) {
    if (compared.size() >= 3) return compared.size();
  }
  return std::nullopt;
}

void check_count(const ops::Operation& operation, size_t count, std::string_view what,
                 Diagnostics& refusals) {
  const size_t arity = operation.signature.inputs.size();
  if (count == arity) return;
  refuse(refusals, DiagCode::C009, operation,
         fmt::format("{} has {} operands, and the signature {}", what, count, arity),
         "give one value for each input of the signature");
}

/// The reference function on operands that stand before words which it has no business to read.
uint32_t apply(const ops::Operation& operation, std::span<const uint32_t> operands, uint32_t behind) {
  std::array<uint32_t, 16> words;
  words.fill(behind);
  std::ranges::copy(operands, words.begin());
  return operation.reference(words.data());
}

void check_reference_signature(const ops::Operation& operation, Diagnostics& refusals) {
  const uint32_t outside = ~mask_of(operation.signature.output);
  for (const std::vector<uint32_t>& input : witnesses(operation, 1000)) {
    const uint32_t word = apply(operation, input, 0);
    for (const uint32_t behind : {1u, 0x80000000u, UINT32_MAX}) {
      if (apply(operation, input, behind) == word) continue;
      return refuse(refusals, DiagCode::C009, operation,
                    fmt::format("the reference function reads more than the {} operands of the signature",
                                input.size()),
                    "declare every input that the function takes");
    }
    if ((word & outside) == 0) continue;
    return refuse(refusals, DiagCode::C009, operation,
                  fmt::format("the reference function gives {:#x}, which is no {}", word,
                              spec::text(operation.signature.output)),
                  "declare the type that the function gives");
  }
}

}  // namespace

std::vector<std::vector<uint32_t>> witnesses(const ops::Operation& operation, size_t random) {
  const std::vector<spec::DataType>& types = operation.signature.inputs;
  std::vector<std::vector<uint32_t>> all;
  const auto keep = [&](const std::vector<uint32_t>& operands) {
    if (operands.size() == types.size()) all.push_back(operands);
  };
  for (const ops::SpecRow& row : operation.rows) keep(row.operands);
  for (const ops::BoundaryValue& boundary : operation.boundaries) keep(boundary.operands);
  for (const ops::EquivalenceClass& part : operation.classes) keep(part.representative);
  RandomStream stream(kSeed, 0);
  for (size_t i = 0; i < random; ++i) {
    std::vector<uint32_t> operands;
    for (const spec::DataType type : types) operands.push_back(stream.next() & mask_of(type));
    all.push_back(std::move(operands));
  }
  return all;
}

Diagnostics admit(const Candidate& candidate) {
  Diagnostics refusals;
  check_category(candidate, refusals);
  check_signature(candidate, refusals);
  check_observable(candidate, refusals);
  // Behind these gates code is compiled and functions are called, which a false declaration forbids.
  const bool sound = refusals.empty();
  if (sound) check_overhead(candidate, refusals);
  if (sound) check_deterministic(candidate, refusals);
  // A signature that lies makes nonsense of rules: they are judged when it has been mended.
  const auto lies = [](const Diag& refusal) { return refusal.code == DiagCode::C009; };
  if (std::ranges::none_of(refusals, lies)) check_rules(candidate, refusals);
  return refusals;
}

void check_category(const Candidate& candidate, Diagnostics& refusals) {
  const ops::Operation& operation = *candidate.operation;
  const bool composed = operation.compose != nullptr, instruction = candidate.intrinsic.has_value();
  const auto refuse_as_b = [&](std::string what, std::string help) {
    refuse(refusals, DiagCode::C008, operation, "category B: " + what, std::move(help));
  };
  if (composed && instruction) {
    return refuse_as_b("an instruction with a software fallback, which is chosen at run time",
                       "make them two operations, and let the caller choose");
  }
  if (!composed && !instruction) {
    return refuse_as_b("neither a composition nor an instruction, so only a run-time system could do it",
                       "compose it of other operations, or name the instruction");
  }
  const spec::Category is = composed ? spec::Category::A : spec::Category::C;
  if (operation.category != is) {
    const auto letter = [](spec::Category c) { return c == spec::Category::A ? 'A' : 'C'; };
    return refuse(refusals, DiagCode::C008, operation,
                  fmt::format("declared as category {} and is {}", letter(operation.category), letter(is)),
                  "declare the category that it is");
  }
  if (!composed || operation.parameter_names.size() != operation.signature.inputs.size()) return;
  ScalarProgram program;
  if (!make_program(operation, program)) return;  // gate 2 says why
  if (const auto numbers = dispatch_in(lower::build(*program.checked))) {
    refuse_as_b(
        fmt::format("a word is compared with {} numbers to choose what is done: run-time dispatch", *numbers),
        "make each of the things that are chosen from an operation of its own");
  }
}

void check_signature(const Candidate& candidate, Diagnostics& refusals) {
  const ops::Operation& operation = *candidate.operation;
  const size_t before = refusals.size(), arity = operation.signature.inputs.size();
  if (arity == 0) {
    return refuse(refusals, DiagCode::C009, operation, "it takes no input", "declare at least one input");
  }
  check_count(operation, operation.parameter_names.size(), "the list of parameter names", refusals);
  for (const ops::SpecRow& row : operation.rows)
    check_count(operation, row.operands.size(), "a row", refusals);
  for (const ops::ForAllRow& row : operation.identities) {
    check_count(operation, row.operands.size(), "an identity", refusals);
  }
  for (const ops::BoundaryValue& value : operation.boundaries) {
    check_count(operation, value.operands.size(), "a boundary value", refusals);
  }
  for (const ops::EquivalenceClass& part : operation.classes) {
    check_count(operation, part.representative.size(), "a class's representative", refusals);
  }
  if (refusals.size() != before) return;
  if (operation.compose != nullptr) {
    ScalarProgram program;
    if (const auto made = make_program(operation, program); !made) {
      refuse(refusals, DiagCode::C009, operation,
             "the composition is not what the signature says: " + made.error().message, made.error().help);
    }
  }
  if (operation.reference != nullptr) check_reference_signature(operation, refusals);
}

void check_deterministic(const Candidate& candidate, Diagnostics& refusals) {
  const ops::Operation& operation = *candidate.operation;
  const std::vector<std::vector<uint32_t>> inputs = witnesses(operation, 1000);
  std::vector<uint32_t> first(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) first[i] = apply(operation, inputs[i], 0);
  const auto agrees = [&](size_t i) { return apply(operation, inputs[i], 0) == first[i]; };
  const auto say = [&](size_t i, std::string_view how) {
    refuse(refusals, DiagCode::C011, operation,
           fmt::format("the reference function gives another word {} (first {:#x}, input {:#x}...)", how,
                       first[i], inputs[i][0]),
           "let it depend on its operands alone: no state, clock, address or random number");
  };
  for (size_t i = inputs.size(); i-- > 0;) {  // another order than the first time
    for (int repeat = 0; repeat < 10; ++repeat) {
      if (!agrees(i)) return say(i, "for the same operands later");
    }
  }
  std::array<std::optional<size_t>, 2> differs;
  std::vector<std::thread> threads;
  for (std::optional<size_t>& found : differs) {
    threads.emplace_back([&] {
      for (size_t i = 0; i < inputs.size() && !found; ++i) {
        if (!agrees(i)) found = i;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& found : differs) {
    if (found) return say(*found, "on another thread");
  }
}

void check_observable(const Candidate& candidate, Diagnostics& refusals) {
  const ops::Operation& operation = *candidate.operation;
  if (operation.reference == nullptr) {
    return refuse(refusals, DiagCode::C012, operation, "the reference function is empty",
                  "write it, in plain C++ and by another algorithm than the composition");
  }
  if (spec::min_bytes(operation.signature.output) == 0) {
    return refuse(refusals, DiagCode::C012, operation,
                  fmt::format("a value of {} may have no byte, so nothing need be seen",
                              spec::text(operation.signature.output)),
                  "give a type of a fixed size");
  }
  if (!refusals.empty()) return;
  const auto inputs = witnesses(operation, 1000);
  const uint32_t first = apply(operation, inputs[0], 0);
  if (std::ranges::all_of(inputs, [&](const auto& input) { return apply(operation, input, 0) == first; })) {
    refuse(refusals, DiagCode::C012, operation,
           fmt::format("the reference function gives {:#x} for all {} inputs that were tried", first,
                       inputs.size()),
           "a constant is a literal, and needs no operation");
  }
}

Candidate candidate_for(const ops::Operation& operation) {
  return {&operation, std::nullopt, hand_written(operation.id)};
}

Diagnostics check_text(std::string_view text) {
  ir::Module module = *text::parse_module(text);
  // The ids of the library are its own; under another first word it is a file like any.
  std::string& id = module.operations[0].function.id;
  id = "admitted" + id.substr(id.find('.'));
  const auto checked = check::check(std::move(module), ops::op_table());
  if (!checked) return checked.error();
  Diagnostics out = ref::check_rows(**checked);
  std::ranges::move(algebra::check_witnesses(*checked), std::back_inserter(out));
  return out;
}

}  // namespace vyre::admit
