#include "generate/program_writer.h"
#include "spec/ops.h"

#include <algorithm>

namespace vyre::generate {
namespace {

using Size = std::array<uint32_t, 3>;

constexpr Size kSizes[] = {{1, 1, 1},  {2, 1, 1}, {4, 1, 1},  {8, 1, 1}, {3, 1, 1}, {2, 2, 1},
                           {16, 1, 1}, {5, 1, 1}, {2, 3, 2},  {4, 4, 1}, {5, 1, 3}, {7, 1, 1},
                           {32, 1, 1}, {1, 8, 1}, {64, 1, 1}, {1, 1, 3}};
constexpr layout::Groups kGroups[] = {{1, 1, 1}, {2, 1, 1}, {3, 1, 1}, {1, 2, 1},
                                      {2, 2, 1}, {1, 1, 2}, {5, 1, 1}, {2, 1, 3}};
/// Programs with fewer nodes have none to spare for a digest.
constexpr uint32_t kDigestNodes = 128;
constexpr uint32_t kRaceNodes = 14;

constexpr uint32_t product(const Size& size) { return size[0] * size[1] * size[2]; }

}  // namespace

ProgramWriter::ProgramWriter(const ProgramOptions& options)
    : options_(options), digests_(options.max_nodes >= kDigestNodes) {
  const uint32_t lanes = std::max<uint32_t>(1, options.subgroup_size);
  std::vector<Size> sizes;
  for (const Size& size : kSizes) {
    // Workgroups are made of whole subgroups, the first axis or all of them together.
    sizes.push_back({size[0] * lanes, size[1], size[2]});
    if (lanes > 1 && product(size) % lanes == 0) sizes.push_back(size);
  }
  for (const Size& size : sizes) {
    for (const layout::Groups& groups : kGroups) {
      const uint64_t total = product(size) * groups.total();
      const bool fits = total <= options.max_invocations || (size == sizes.front() && groups.total() == 1);
      if (fits && product(size) <= 1024 && (!options.racy || total >= 2)) shapes_.push_back({size, groups});
    }
  }
  if (shapes_.empty()) shapes_.push_back({{2 * lanes, 1, 1}, {}});
  if (options.ops == nullptr) return;
  for (const spec::OpDef* def : options.ops->all()) {
    const bool intrinsic = def->category == spec::Category::C;
    if (intrinsic ? options.subgroup_size == 0 : def->body == nullptr) continue;
    if (def->signature.inputs.size() > 8) continue;
    (intrinsic ? intrinsics_ : callable_)[size_t(def->signature.output)].push_back(def);
  }
}

void ProgramWriter::write(Choices& choices, ProgramCase& out) {
  reset(choices, out);
  choose_shape();
  choose_palette();
  declare_buffers();
  declare_identities();
  // Up to here barriers may come; then a tail in which invocations may return one by one.
  if (options_.racy) {
    stay_ = true;  // so that no invocation leaves before it
    reserved_ += kRaceNodes;
    block(choices_->below(statements_left_));
    reserved_ -= kRaceNodes;
    race();
    stay_ = false;
  }
  block(statements_left_ - statements_left_ / 4);
  tail_ = true;
  statements_left_ = std::max<uint32_t>(1, statements_left_ / 4);
  block(statements_left_);
  finish(out);
}

void ProgramWriter::reset(Choices& choices, ProgramCase& out) {
  choices_ = &choices;
  program_ = &out.program;
  *program_ = ir::Program{};
  program_->name = "generated";
  code_ = &program_->code;
  const size_t room_for = std::min<uint32_t>(options_.max_nodes, 1024);
  code_->exprs.reserve(room_for);
  code_->expr_list.reserve(room_for);
  code_->nodes.reserve(room_for / 4);
  buffers_.clear();
  phases_ = {};
  dims_words_.clear();
  dims_buffer_ = digest_ = ir::kNoSymbol;
  variables_.clear();
  retired_.clear();
  pending_.clear();
  names_ = nesting_ = scope_reserve_ = reserved_ = 0;
  uniform_control_ = true;
  tail_ = returned_ = stay_ = false;
  race_.reset();
  trips_ = 1;
  spent_ = 0;
  functions_ = kFunctions;
}

void ProgramWriter::choose_shape() {
  shape_ = pick(shapes_);
  group_size_ = product(shape_.size);
  total_ = uint32_t(group_size_ * shape_.groups.total());
  program_->workgroup_size = shape_.size;
  budget_ = std::max<uint64_t>(64, options_.max_steps / total_);
  statements_left_ = 1 + choices_->below(std::max<uint32_t>(2, options_.max_nodes / 6));
}

/// Three types that most of a program is made of, so that its parts find something of their type to work on.
void ProgramWriter::choose_palette() {
  static constexpr DataType kAll[] = {DataType::U32,     DataType::I32,     DataType::U64,  DataType::U128,
                                      DataType::Vec2U32, DataType::Vec4U32, DataType::Bool, DataType::F16,
                                      DataType::BF16,    DataType::F32};
  static constexpr DataType kArithmetic[] = {
      DataType::U32,     DataType::I32,     DataType::I32, DataType::U64,  DataType::U128, DataType::U128,
      DataType::Vec2U32, DataType::Vec4U32, DataType::F16, DataType::BF16, DataType::F32,  DataType::F32};
  palette_ = {DataType::U32, pick(kArithmetic), pick(kAll)};
}

// ---- Who an invocation is ----

/// How many values each axis of the id behind a number has.
std::array<uint32_t, 3> ProgramWriter::extents(Identity which) const {
  const auto& size = shape_.size;
  const std::array<uint32_t, 3> groups = {shape_.groups.x, shape_.groups.y, shape_.groups.z};
  switch (which) {
    case Identity::Own: return {size[0] * groups[0], size[1] * groups[1], size[2] * groups[2]};
    case Identity::Slot: return size;
    case Identity::Group: return groups;
  }
  return size;
}

/// Whether the number is an id along one axis: then it is written wherever it is needed, and else it has a
/// name.
bool ProgramWriter::is_one_axis(Identity which) const {
  return std::ranges::count_if(extents(which), [](uint32_t n) { return n > 1; }) < 2;
}

/// x + y * width + z * (width * height), of the axes that have more than one value.
ir::ExprId ProgramWriter::linear(Identity which) {
  static constexpr std::array<ir::ExprKind, 3> kIds = {ir::ExprKind::InvocationId, ir::ExprKind::LocalId,
                                                       ir::ExprKind::WorkgroupId};
  const ir::ExprKind kind = kIds[size_t(which)];
  const auto extent = extents(which);
  std::optional<ExprId> sum;
  uint32_t stride = 1;
  for (uint32_t axis = 0; axis < 3; ++axis) {
    if (extent[axis] == 1) continue;
    ExprId term = id(kind, axis);
    if (stride > 1) term = apply(Op::Mul, {term, word(stride)});
    sum = sum ? apply(Op::Add, {*sum, term}) : term;
    stride *= extent[axis];
  }
  return sum ? *sum : id(kind, 0);
}

void ProgramWriter::identity_let(Identity which, const char* name) {
  if (is_one_axis(which)) return;
  const Symbol symbol = identities_[size_t(which)] = code_->intern(name);
  const ExprId value = linear(which);
  bind(value, {.name = symbol,
               .type = DataType::U32,
               .uniform = which == Identity::Group,
               .assignable = false,
               .used = true});
}

void ProgramWriter::declare_identities() {
  identities_.fill(ir::kNoSymbol);
  identity_let(Identity::Own, "own");
  // Only shared buffers ask for the others.
  const bool shared =
      std::ranges::any_of(buffers_, [](const Buffer& b) { return b.discipline == Discipline::Shared; });
  if (shared || digests_) {
    identity_let(Identity::Slot, "slot");
    identity_let(Identity::Group, "group");
  }
  if (shared && options_.barriers) scope_reserve_ = 1;
  if (digests_) {
    digest_ = code_->intern("digest");
    const ExprId start = word(0x811c9dc5);
    bind(start,
         {.name = digest_, .type = DataType::U32, .uniform = false, .assignable = false, .used = true});
  }
  reserved_ += 4;  // the last store
}

ir::ExprId ProgramWriter::identity(Identity which) {
  const Symbol name = identities_[size_t(which)];
  return name == ir::kNoSymbol ? linear(which) : var(name);
}

void ProgramWriter::finish(ProgramCase& out) {
  reserved_ -= 4;
  if (digests_) {
    leave(0);
    store_digest();
  } else {
    store();
    leave(0);
  }
  program_->entry = code_->add_block(pending_);
  out.groups = shape_.groups;
  out.race = race_;
  size_t bound = 0;
  out.buffers.resize(size_t(std::ranges::count_if(buffers_, &Buffer::bound)));
  for (const Buffer& buffer : buffers_) {
    if (buffer.bound()) fill(buffer, out.buffers[bound++]);
  }
}

// ---- The way in ----

ProgramGenerator::ProgramGenerator(const ProgramOptions& options)
    : writer_(std::make_unique<ProgramWriter>(options)) {}
ProgramGenerator::~ProgramGenerator() = default;

void ProgramGenerator::make(Choices& choices, ProgramCase& out) { writer_->write(choices, out); }
void ProgramGenerator::make(uint64_t seed, uint64_t index, ProgramCase& out) {
  RandomChoices choices(seed, index);
  writer_->write(choices, out);
}

ProgramCase random_program(Choices& choices, const ProgramOptions& options) {
  ProgramCase out;
  ProgramGenerator(options).make(choices, out);
  return out;
}
ProgramCase random_program(uint64_t seed, uint64_t index, const ProgramOptions& options) {
  RandomChoices choices(seed, index);
  return random_program(choices, options);
}

}  // namespace vyre::generate
