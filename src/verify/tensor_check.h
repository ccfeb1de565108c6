// Operations on tensors and random graphs as subjects of a certificate.
//
// Every operation of the ledger of tensors (ir/tensor_ops.def) is a subject, "tensor.matmul@1", and so are
// operators and operations of scalars on tensors ("tensor.elementwise@1") and random graphs of 1 to 30
// operations ("tensor.generated@1"). Each has cases on the integer track, where all types are integers or
// bool, on the float track, or on both, and then a verdict on each.
//
// A case is a graph, its inputs, and how the graph is lowered: which plan and whose kernels, since none of
// that may change a bit. It follows from the subject, the track, a seed and a number alone. Numbers that
// follow each other share a graph and differ in their inputs, so that a graph is
// compiled once for several. What the lists of
// tensor_cases.cpp name (types, sizes, views, orders, kinds of inputs), the cases of a quick run have all of
// it, those of both tracks together; combinations are drawn.
//
// A case passes where every byte of every output is that of the reference (ref/graph.h), in two runs, no
// input was written and no guard word beside the tensors is another. Source: docs/spec/graphs.md;
// docs/certificate.md, "Tensors".
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backend/backend.h"
#include "generate/graphs.h"
#include "plan/pipeline.h"
#include "tensor/lower.h"
#include "verify/monitor.h"
#include "verify/token.h"
#include "verify/verdict.h"

namespace vyre::verify {

struct TensorSubject {
  std::string id;                  // "tensor.matmul"
  std::optional<ir::TensorOp> op;  // Value: elementwise; none: random graphs
  Track track{};
  uint64_t graphs = 0;  // of a quick run
  uint64_t inputs = 1;  // cases with one graph

  std::string name() const { return subject_of(id, 1); }
  SubjectKind kind() const { return op ? SubjectKind::TensorOperation : SubjectKind::GeneratedGraphs; }
};
/// In the order of a certificate: as the ledger has the operations, elementwise first, generated ones last;
/// of each the integer track first.
std::span<const TensorSubject> tensor_subjects();
/// By name, "tensor.matmul@1", and track; null where there is none.
const TensorSubject* find_tensor_subject(std::string_view name, Track track);

/// What makes a pipeline of a graph. Another one stands for a lowering that is wrong, in tests.
using Lowering =
    std::function<ir::Module(const check::SizedGraph& graph, std::span<const ir::Operation> operations,
                             const tensor::Options& options)>;

/// How many times as many graphs there are as in a quick run, and what is judged.
struct TensorPlan {
  uint64_t times = 1;
  Lowering lower = tensor::lower;

  uint64_t cases(const TensorSubject& subject) const { return times * subject.graphs * subject.inputs; }
};
TensorPlan tensor_plan(Strength strength);

/// How a graph may be lowered, of which none changes a bit; how it is by default, on a processor, first.
struct TensorWay {
  std::string_view name;
  tensor::Options options;
};
std::span<const TensorWay> tensor_ways();

struct TensorCase {
  generate::GraphCase graph;  // the module's first graph is run
  tensor::Options options;
  std::string what;  // for people: "[17, 33] by [33, 5], f16, cancelling; each node by itself"
};
/// Case `index` of a seed.
TensorCase make_tensor_case(const TensorSubject& subject, uint64_t seed, uint64_t index);

/// Where the bytes of a graph first differ from those of the reference.
struct TensorFault {
  std::string what;                  // "y, f32[4, 4]: 3 of 16 elements differ, first number 2: 1.0 where ..."
  bool differs_from_itself = false;  // the same run left other bytes when it was repeated
};

class TensorJudge {
 public:
  /// The backend must outlive it.
  explicit TensorJudge(backend::Backend& backend, Lowering lower = tensor::lower)
      : backend_(&backend), lower_(std::move(lower)) {}

  /// None: it passes. `left`: unless null, gets the outputs of the first run, one after the other.
  /// Errors  the backend's; those of the checker and the reference, for which the case or the lowering is to
  ///         blame.
  /// Cost    a graph that was judged last is not compiled again.
  Result<std::optional<TensorFault>> judge(const TensorCase& c, Bytes* left = nullptr);

  /// Fewest operations, smallest shapes, simplest inputs, of those that fail.
  TensorCase shrink(const TensorCase& failing, size_t max_evaluations = 600);

  /// The first node whose elements are wrong when it is computed alone: "matmul, f32[4, 4]", or empty.
  std::string culprit(const TensorCase& failing);

  /// For a run after Backend::restart().
  void forget() {
    compiled_.reset();
    memory_.reset();
  }

  bool repeats = true;  // each case is run twice

  uint64_t dispatches = 0;               // that were made
  uint64_t guard_words = 0, broken = 0;  // looked at, and others

 private:
  struct Compiled;
  /// `only`: the node that is its one output.
  Result<std::shared_ptr<Compiled>> compile(const TensorCase& c, std::optional<uint32_t> only);
  Result<std::optional<TensorFault>> run(Compiled& compiled, const TensorCase& c, Bytes* left);

  backend::Backend* backend_;
  Lowering lower_;
  std::shared_ptr<Compiled> compiled_;
  std::unique_ptr<backend::DeviceBuffer> memory_;
};

/// How many cases a unit has, and how many units a subject has.
inline constexpr uint64_t kTensorCasesAUnit = 128;
size_t tensor_units(const TensorSubject& subject, const TensorPlan& plan);
/// The verdict on a unit of a subject: one leaf, of the reference interpreter.
Verdict check_tensor_unit(backend::Backend& backend, const TensorSubject& subject, const TensorPlan& plan,
                          size_t unit, uint64_t seed, const Monitor& monitor);

/// The digest of the graphs of so many cases, and of their inputs.
std::string tensor_digest(const TensorSubject& subject, uint64_t seed, uint64_t cases);

/// The subject of a token, whose strategy is the track: "tensor.matmul@1:float:42:17". Null for another
/// token.
const TensorSubject* tensor_subject_of(const Token& token);

/// What a case came down to, for people: the difference, the culprit, the graph and its inputs.
std::string describe_failure(TensorJudge& judge, const TensorCase& smallest, const TensorFault& fault);

}  // namespace vyre::verify
