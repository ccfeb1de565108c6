#include "host/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "host/values.h"
#include "spec/ops.h"

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

Result<void> run_steps(backend::Backend& backend, std::span<const Step> steps, Buffers& buffers,
                       std::vector<StepTime>* times) {
  using Clock = std::chrono::steady_clock;
  const auto since = [](Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  };
  std::vector<StepTime> taken(steps.size());
  // Everything is compiled before anything runs, so that a program that a backend refuses changes no buffer.
  std::vector<std::unique_ptr<backend::Pipeline>> pipelines;
  for (size_t i = 0; i < steps.size(); ++i) {
    const Clock::time_point begin = Clock::now();
    VYRE_TRY(pipeline, backend.compile(*steps[i].checked));
    pipelines.push_back(std::move(pipeline));
    taken[i].compile_seconds = since(begin);
  }
  for (size_t i = 0; i < steps.size(); ++i) {
    std::vector<std::span<std::byte>> host;
    for (const check::BufferId id : steps[i].checked->bound_buffers()) {
      host.emplace_back(
          buffers.by_name.find(steps[i].checked->program().code.name(steps[i].checked->buffer(id).name))
              ->second.bytes);
    }
    const Clock::time_point begin = Clock::now();
    VYRE_CHECK(pipelines[i]->dispatch(host, steps[i].groups));
    taken[i].dispatch_seconds = since(begin);
    for (const auto buffer : host) taken[i].bytes += buffer.size();
    const auto& size = steps[i].checked->program().workgroup_size;
    const layout::Groups& groups = steps[i].groups;
    taken[i].invocations = uint64_t{groups.x} * groups.y * groups.z * size[0] * size[1] * size[2];
  }
  if (times != nullptr) *times = std::move(taken);
  return {};
}

std::string line_of(const Step& step, const StepTime& time) {
  const auto& size = step.checked->program().workgroup_size;
  std::string out = fmt::format(
      "{}x{}x{} groups of {}x{}x{}: {} invocations over {} bytes; compiled in {:.2f} ms, ran in {:.2f} ms",
      step.groups.x, step.groups.y, step.groups.z, size[0], size[1], size[2], time.invocations, time.bytes,
      time.compile_seconds * 1e3, time.dispatch_seconds * 1e3);
  if (time.dispatch_seconds > 0) {
    out += fmt::format(": {:.1f} million invocations a second",
                       double(time.invocations) / time.dispatch_seconds / 1e6);
  }
  return out;
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
