// The cross product: every law that could be said of every function, and what became of it.
//
// A library's declared laws are those that its authors thought of. Here each operator at each type and each
// primitive meets each kind of law with each candidate companion and constant, and every such sentence is
// proved, refuted with the smallest counterexample, left open, or found to make no sense. What is false fails
// on small values, nearly always, and they are tried in the order of counterexamples, so that the first that
// fails is the smallest there is; only what survives is put to a solver. What holds and is not declared is
// suggested; a declared law that fails is a fault. Source: vyre-conform-spec, "Ground Truth, Algebraic Laws";
// semantics, "Laws and evidence" (the order of counterexamples).
//
// Collisions: laws are to characterise an operation. Two of one signature that satisfy the same laws, or one
// all of the other's, need something else that distinguishes them: a boundary value, a class or a custom law.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ops/operation.h"
#include "solver/prover.h"
#include "spec/laws.h"

namespace vyre::symbolic {

enum class Verdict : uint8_t { Proved, Refuted, Open, NotApplicable };
inline constexpr size_t kVerdicts = 4;
std::string_view text(Verdict verdict);  // "proved", "refuted", "open", "not applicable"

/// One sentence of the product and what became of it.
struct Sentence {
  std::string function;  // "add" of the operators, "primitive.math.add"
  spec::DataType type = spec::DataType::U32;
  spec::Law law;
  Verdict verdict = Verdict::Open;
  std::vector<uint64_t> witness;  // Refuted: of the law's variables, in order
  bool smallest = false;          // Refuted: no smaller one exists
  std::string by;      // "z3 4.8.12"; "evaluation" where values alone decide; Open and NotApplicable: why
  double seconds = 0;  // of the solver
  bool declared = false, denied = false;
  bool implied = false;  // Proved: it follows from declared laws by a composition theorem or is weaker
};

/// Whose sentences: the operators at one type, or the primitives.
struct ProductPart {
  std::string name;  // "operators of u32", "primitives"
  uint64_t functions = 0;
  std::array<uint64_t, kVerdicts> counts{};
  std::array<uint64_t, 3> refuted_by{};  // small values, edges, the solver
  double seconds = 0;
  uint64_t total() const;
};

struct ProductOptions {
  /// Of a function's name; empty: all. Such as "primitive.math.*".
  std::string glob;
  std::vector<spec::DataType> operator_types = {spec::DataType::U32, spec::DataType::I32,
                                                spec::DataType::Bool, spec::DataType::U64};
  bool primitives = true;
  bool solve = true;  // else what values do not refute is open
  /// Small values are tried before it is asked, so it tries none.
  solver::ProverOptions prover = {.limits = {.seconds = 3}, .minimising = {.seconds = 2}, .trying = 0};
  unsigned threads = 2;
  const std::atomic<bool>* stop = nullptr;  // when it becomes true, no further sentence is begun
  /// Called once, before any sentence, with how many there are.
  std::function<void(size_t)> planned = {};
  /// Called with every sentence, one at a time, in no order.
  std::function<void(const Sentence&)> each;
};

/// Memory: the sentences that hold, are open or are wrong; the refuted and those that make no sense are
/// counted.
struct Product {
  std::string solver;  // Prover::about()
  std::vector<ProductPart> parts;
  std::vector<Sentence> proved, open;
  std::vector<Sentence> wrong;  // declared and refuted, or denied and proved: each a fault
  double seconds = 0;
  /// Proved, not declared, implied by nothing that is.
  std::vector<const Sentence*> suggestions() const;
};
Product cross_product(const ProductOptions& options = {});
class Family;  // symbolic/candidates.h
/// Of one family; the options' operators and primitives are left alone.
Product cross_product(const Family& family, const ProductOptions& options);
/// The counts, a line a part; the open ones by name; what is wrong.
std::string table(const Product& product);

/// Two operations of one signature that laws do not tell apart.
struct Collision {
  const ops::Operation *first, *second;
  enum class Laws : uint8_t { Equal, FirstHasMore, SecondHasMore } laws{};
  /// What is declared and tells them apart: "boundary (0x80000001, 31): the greatest amount"; empty: nothing,
  /// which is a fault unless they are equal.
  std::string separated_by;
  std::vector<uint32_t> input;  // on which they differ; the smallest where `smallest`
  bool smallest = false;
  bool equal = false;  // no input separates them: one function, `by` whom
  std::string by;      // of input and equal; where neither: why it is unknown
  bool is_fault() const { return separated_by.empty() && !equal; }
};
/// All pairs of one registry: strict operations, or approximate ones. Of integers an input that separates
/// them is found or refused by a solver; of floats, which have no formulas, it is found among values at which
/// functions turn.
std::vector<Collision> collisions(std::span<const ops::Operation* const> operations, solver::Prover& prover);
/// Of the library.
std::vector<Collision> collisions(solver::Prover& prover);

}  // namespace vyre::symbolic
