#include "host/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "host/values.h"

namespace vyre::host {

std::expected<Buffers, UsageError> declare_buffers(std::span<const Step> steps) {
  Buffers buffers;
  for (const Step& step : steps) {
    const ir::Program& program = step.checked->program();
    for (const check::BufferId id : step.checked->bound_buffers()) {
      const ir::BufferDecl& decl = step.checked->buffer(id);
      const std::string name(program.code.name(decl.name));
      auto [it, fresh] = buffers.by_name.try_emplace(name, NamedBuffer{program.element(decl), false, {}});
      if (fresh) buffers.order.push_back(name);
      if (it->second.element != program.element(decl)) {
        return std::unexpected(UsageError{fmt::format(
            "buffer '{}' is {} in one program and {} in another: programs that share a buffer declare it "
            "with one type",
            name, spec::text(it->second.element), spec::text(program.element(decl)))});
      }
      it->second.writable |= decl.access == spec::BufferAccess::ReadWrite;
    }
  }
  return buffers;
}

Result<void> run_steps(backend::Backend& backend, std::span<const Step> steps, Buffers& buffers) {
  // Everything is compiled before anything runs, so that a program that a backend refuses changes no buffer.
  std::vector<std::unique_ptr<backend::Pipeline>> pipelines;
  for (const Step& step : steps) {
    VYRE_TRY(pipeline, backend.compile(*step.checked));
    pipelines.push_back(std::move(pipeline));
  }
  for (size_t i = 0; i < steps.size(); ++i) {
    std::vector<std::span<std::byte>> host;
    for (const check::BufferId id : steps[i].checked->bound_buffers()) {
      host.emplace_back(
          buffers.by_name.find(steps[i].checked->program().code.name(steps[i].checked->buffer(id).name))
              ->second.bytes);
    }
    VYRE_CHECK(pipelines[i]->dispatch(host, steps[i].groups));
  }
  return {};
}

Digest digest_outputs(const Buffers& buffers) {
  Hasher hasher;
  for (const std::string& name : buffers.order) {
    const NamedBuffer& buffer = buffers.by_name.find(name)->second;
    if (!buffer.writable) continue;
    hasher.update_u32(uint32_t(name.size()))
        .update(name)
        .update_u64(buffer.bytes.size())
        .update(buffer.bytes);
  }
  return hasher.finish();
}

namespace {

bool is_approximate(const check::Checked& program, const ir::Code& code,
                    const check::Resolution& resolution) {
  const auto here = [](const ir::Expr& e) {
    return e.kind == ir::ExprKind::Apply && spec::is_approximate(e.op);
  };
  const auto within = [&](const spec::OpDef* def) {
    if (def->intrinsic) return false;
    const check::CheckedFunction& callee = program.function(*def);
    return is_approximate(program, callee.function->code, callee.resolution);
  };
  return std::ranges::any_of(code.exprs, here) || std::ranges::any_of(resolution.callees, within);
}

}  // namespace

bool is_approximate(std::span<const Step> steps) {
  return std::ranges::any_of(steps, [](const Step& step) {
    return is_approximate(*step.checked, step.checked->program().code, step.checked->resolution());
  });
}

Result<void> expect_equal(const Buffers& a, std::string_view a_name, const Buffers& b,
                          std::string_view b_name) {
  for (const std::string& name : a.order) {
    const NamedBuffer& left = a.by_name.find(name)->second;
    const NamedBuffer& right = b.by_name.find(name)->second;
    if (!left.writable || left.bytes == right.bytes) continue;
    const size_t size = spec::info(left.element).bytes;
    const size_t shared = std::min(left.bytes.size(), right.bytes.size());
    size_t at = 0;
    while (at < shared && std::memcmp(left.bytes.data() + at, right.bytes.data() + at, size) == 0) at += size;
    const auto show = [&](const Bytes& bytes) {
      if (at >= bytes.size()) return std::string("no such element");
      return fmt::format("{} ({})", format_element(bytes.data() + at, left.element, false),
                         format_element(bytes.data() + at, left.element, true));
    };
    return std::unexpected(make_diag(DiagCode::X008, Span::none(),
                                     fmt::format("{}[{}]: {} has {}, {} has {}", name, at / size, a_name,
                                                 show(left.bytes), b_name, show(right.bytes)),
                                     "one of the backends is wrong, or the program has a data race"));
  }
  return {};
}

}  // namespace vyre::host
