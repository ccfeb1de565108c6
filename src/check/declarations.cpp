#include "check/declarations.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "check/body.h"
#include "spec/limits.h"

namespace vyre::check {
namespace {

using ir::DataType;
using BuffersByName = std::unordered_map<ir::Symbol, const ir::BufferDecl*>;

constexpr std::string_view kBuildProperly =
    "build programs through ir::ProgramBuilder, text::parse or wire::decode";

void check_workgroup_size(const ir::Program& program, Report& report) {
  const auto& size = program.workgroup_size;
  const std::string shown = fmt::format("workgroup({}, {}, {})", size[0], size[1], size[2]);
  uint64_t invocations = 1;
  for (const uint32_t axis : size) {
    if (axis == 0) {
      report.add(DiagCode::V009, program.workgroup_span, fmt::format("{} has an axis of size 0", shown),
                 "each axis is at least 1");
      return;
    }
    // Capped at each step, so that no product of three axes overflows.
    invocations = std::min<uint64_t>(invocations * axis, uint64_t(1) << 31);
  }
  if (invocations > spec::kMaxInvocationsPerGroup) {
    report.add(DiagCode::V009, program.workgroup_span,
               fmt::format("{} has more than {} invocations", shown, spec::kMaxInvocationsPerGroup),
               "make workgroups smaller and dispatch more of them");
  }
}

void check_binding(const ir::BufferDecl& decl, const Declarations& program,
                   std::unordered_map<uint32_t, size_t>& taken, Report& report) {
  const auto [first, fresh] = taken.try_emplace(decl.binding, size_t(&decl - program.buffers.data()));
  if (fresh) return;
  const ir::BufferDecl& other = program.buffers[first->second];
  report
      .add(DiagCode::V002, decl.span,
           fmt::format("binding {} of {} is taken", decl.binding, quoted(program.code.name(decl.name))),
           "give each buffer a number of its own")
      .notes.push_back({other.span, fmt::format("{} has it", quoted(program.code.name(other.name)))});
}

void check_workgroup_memory(const ir::BufferDecl& decl, std::string_view shown, uint64_t& bytes,
                            Report& report) {
  const uint64_t element_bytes = spec::info(decl.element).bytes;
  if (decl.count == 0) {
    report.add(DiagCode::V030, decl.span, fmt::format("workgroup buffer {} has no elements", shown),
               "give it at least one element");
    return;
  }
  const bool fitted = bytes <= spec::kMaxWorkgroupBytes;
  bytes += decl.count * element_bytes;
  if (fitted && bytes > spec::kMaxWorkgroupBytes) {
    report.add(DiagCode::V030, decl.span,
               fmt::format("with {} the workgroup buffers take {} bytes; at most {} are allowed", shown,
                           bytes, spec::kMaxWorkgroupBytes),
               "tile the computation");
  }
}

void check_private_memory(const ir::BufferDecl& decl, std::string_view shown, uint64_t& bytes,
                          Report& report) {
  if (spec::is_small(decl.element)) return;
  if (spec::is_available(decl.element) && !spec::is_value_type(decl.element)) {
    report.add(DiagCode::V025, decl.span,
               fmt::format("{} is a private array of {}", shown, spec::text(decl.element)),
               decl.element == DataType::Tensor
                   ? "declare a private array of its elements, and compute one index"
                   : "use u32 for the words of bytes");
    return;
  }
  if (decl.count == 0) {
    report.add(DiagCode::V063, decl.span, fmt::format("private array {} has no elements", shown),
               "give it at least one element");
    return;
  }
  const bool fitted = bytes <= spec::kMaxPrivateBytes;
  bytes += decl.count * uint64_t{spec::info(decl.element).bytes};
  if (fitted && bytes > spec::kMaxPrivateBytes) {
    report.add(DiagCode::V063, decl.span,
               fmt::format("with {} an invocation's private arrays take {} bytes; at most {} are allowed",
                           shown, bytes, spec::kMaxPrivateBytes),
               "keep a part of it in a read_write buffer, where each invocation has a range of its own");
  }
}

/// The rules of one tensor's type.
class TensorCheck {
 public:
  TensorCheck(const Declarations& program, const ir::BufferDecl& decl, Report& report)
      : program_(program), decl_(decl), shown_(quoted(program.code.name(decl.name))), report_(report) {}

  void run(const ir::TensorType& tensor, const BuffersByName& found) {
    if (!spec::is_value_type(tensor.element)) {
      wrong(DiagCode::V038,
            fmt::format("tensor {} has elements of {}, which is no type of values", shown_,
                        spec::text(tensor.element)),
            spec::is_small(tensor.element) ? std::string(kSmallHelp) : "use u32 for the words of bytes");
    }
    if (tensor.dims.empty())
      wrong(DiagCode::V038, fmt::format("tensor {} has no dimension", shown_), "give it at least one");
    if (!tensor.strides.empty() && tensor.strides.size() != tensor.dims.size()) {
      wrong(DiagCode::V038,
            fmt::format("tensor {} has {} strides and {} dimensions", shown_, tensor.strides.size(),
                        tensor.dims.size()),
            "give one stride a dimension, or none for row-major order");
    }
    std::unordered_set<uint32_t> names;
    for (const ir::Dim& dim : tensor.dims) {
      if (dim.dynamic()) {
        dynamic(dim, names, found);
      } else if (dim.buffer != ir::kNoSymbol || dim.element != 0) {
        malformed("a fixed dimension with an element to read it from");
      }
    }
  }

 private:
  void dynamic(const ir::Dim& dim, std::unordered_set<uint32_t>& names, const BuffersByName& found) {
    if (dim.size != 0) malformed("a named dimension with a fixed size");
    check_name(program_.code.name(dim.name), decl_.span, "dimension", report_);
    const std::string name = quoted(program_.code.name(dim.name));
    if (!names.insert(ir::index(dim.name)).second) {
      wrong(DiagCode::V038, fmt::format("tensor {} has two dimensions of the name {}", shown_, name),
            "give each a name of its own");
    }
    const auto source = found.find(dim.buffer);
    if (source == found.end()) {
      wrong(DiagCode::V003,
            fmt::format("dimension {} of {} is read from {}, which is no buffer", name, shown_,
                        quoted(program_.code.name(dim.buffer))),
            "declare a uniform buffer of u32 of this name");
      return;
    }
    const ir::BufferDecl& buffer = *source->second;
    const bool words = buffer.element == DataType::U32 || buffer.element == DataType::Bytes;
    if (buffer.access == spec::BufferAccess::Uniform && words) return;
    const std::string from = quoted(program_.code.name(buffer.name));
    wrong(DiagCode::V038,
          fmt::format("dimension {} of {} is read from {}, a {} buffer of {}", name, shown_, from,
                      spec::text(buffer.access), spec::text(buffer.element)),
          "read it from a uniform buffer of u32 or bytes")
        .notes.push_back({buffer.span, fmt::format("{} was declared here", from)});
  }
  Diag& wrong(DiagCode code, std::string message, std::string help) {
    return report_.add(code, decl_.span, std::move(message), std::move(help));
  }
  void malformed(std::string_view what) {
    wrong(DiagCode::V036, fmt::format("tensor {} has {}", shown_, what), std::string(kBuildProperly));
  }

  const Declarations& program_;
  const ir::BufferDecl& decl_;
  const std::string shown_;
  Report& report_;
};

/// The tensors of a program stand in the order of their buffers, one each.
void check_tensors(const Declarations& program, Report& report) {
  BuffersByName found;
  for (const ir::BufferDecl& decl : program.buffers) found.try_emplace(decl.name, &decl);
  uint32_t tensors = 0;
  for (const ir::BufferDecl& decl : program.buffers) {
    const bool is_tensor = decl.element == DataType::Tensor;
    if (decl.tensor != (is_tensor ? tensors : 0)) {
      report.add(
          DiagCode::V036, decl.span,
          fmt::format("{} has a tensor type that is not its own", quoted(program.code.name(decl.name))),
          std::string(kBuildProperly));
    }
    if (!is_tensor) continue;
    if (++tensors > program.tensors.size()) continue;
    TensorCheck(program, decl, report).run(program.tensors[tensors - 1], found);
  }
  if (tensors != program.tensors.size()) {
    report.add(DiagCode::V036, Span::none(),
               fmt::format("{} tensor buffers and {} tensor types", tensors, program.tensors.size()),
               std::string(kBuildProperly));
  }
}

}  // namespace

void check_buffers(const Declarations& program, Report& report) {
  std::unordered_map<uint32_t, size_t> bindings;
  uint64_t workgroup_bytes = 0, private_bytes = 0;
  for (const ir::BufferDecl& decl : program.buffers) {
    const std::string shown = quoted(program.code.name(decl.name));
    if (spec::is_small(decl.element)) {
      report.add(DiagCode::V025, decl.span,
                 fmt::format("{} is a buffer of {}", shown, spec::text(decl.element)),
                 std::string(kSmallHelp));
    }
    if (spec::is_bound(decl.access)) {
      check_binding(decl, program, bindings, report);
    } else if (decl.access == spec::BufferAccess::Private) {
      check_private_memory(decl, shown, private_bytes, report);
    } else if (decl.element == DataType::Tensor) {
      report.add(DiagCode::V025, decl.span, fmt::format("{} is a tensor in workgroup memory", shown),
                 "declare a workgroup buffer of its elements, and compute one index");
    } else {
      check_workgroup_memory(decl, shown, workgroup_bytes, report);
    }
    const uint32_t unused = spec::is_bound(decl.access) ? decl.count : decl.binding;
    if (unused != 0) {
      report.add(DiagCode::V036, decl.span,
                 fmt::format("{} has a {}, which {} buffers do not have", shown,
                             spec::is_bound(decl.access) ? "count" : "binding", spec::text(decl.access)),
                 std::string(kBuildProperly));
    }
  }
  check_tensors(program, report);
}

void check_declarations(const ir::Program& program, Report& report) {
  check_name(program.name, Span::none(), "program", report);
  check_buffers({program.buffers, program.tensors, program.code}, report);
  check_workgroup_size(program, report);
}

}  // namespace vyre::check
