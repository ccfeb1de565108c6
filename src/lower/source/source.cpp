#include "lower/source/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "lower/inst_info.h"
#include "lower/source/body.h"
#include "lower/source/prelude.h"

namespace vyre::lower {
namespace {

using spec::BufferAccess;

constexpr uint64_t kCudaSharedBytes = 48 * 1024;

/// kSourceUnroll, which g++ spells otherwise than clang and nvcc.
constexpr std::string_view kUnroll = R"(
#if defined(__clang__) || defined(__CUDACC__)
#define VYRE_UNROLL _Pragma("unroll")
#elif defined(__GNUC__)
#define VYRE_UNROLL _Pragma("GCC unroll 65534")
#else
#define VYRE_UNROLL
#endif
)";

Result<void> check_subgroups(const Kernel& kernel) {
  const Inst* const call = find(kernel, InstKind::Intrinsic);
  if (call == nullptr) return {};
  return std::unexpected(
      make_diag(DiagCode::B002, call->origin,
                fmt::format("`{}` calls `{}`, and no operation of subgroups has a form in C++", kernel.name,
                            spec::info(spec::Intrinsic(call->imm)).id),
                "emit it as a program (vyre), or as spirv"));
}

/// The words of a buffer, the last one filled up with zeros; at least those of one element.
std::vector<uint32_t> words_of(const KernelBuffer& buffer, const Bytes& bytes) {
  const uint64_t elements = bytes.size() / spec::info(buffer.element).bytes;
  std::vector<uint32_t> out(source_words(elements, buffer.element));
  for (size_t k = 0; k < bytes.size(); ++k) out[k / 4] |= uint32_t(bytes[k]) << (8 * (k % 4));
  return out;
}

/// One file under construction.
class File {
 public:
  File(const Kernel& kernel, SourceDialect dialect, const SourceCase& data)
      : k_(kernel), dialect_(dialect), data_(data), threads_(find(kernel, InstKind::Barrier) != nullptr) {
    for (const KernelBuffer& buffer : k_.buffers) {
      if (buffer.access == BufferAccess::Workgroup) shared_.push_back(&buffer);
      if (spec::is_bound(buffer.access)) bound_.push_back(&buffer);
    }
  }

  Result<std::string> run(std::string_view head) {
    VYRE_CHECK(check_subgroups(k_));
    VYRE_CHECK(check_shared());
    comments(head);
    out_ += source_prelude(dialect_, threads_);
    out_ += source_print();
    if (std::ranges::any_of(k_.insts, [](const Inst& i) { return i.kind == InstKind::Loop && i.imm != 0; }))
      out_ += kUnroll;
    data();
    switch (dialect_) {
      case SourceDialect::Cpp: cpp(); break;
      case SourceDialect::Cuda: cuda(); break;
    }
    return std::move(out_);
  }

 private:
  template <typename... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }

  static uint64_t shared_words(const KernelBuffer& buffer) {
    return source_words(buffer.count, buffer.element);
  }
  Result<void> check_shared() const {
    uint64_t bytes = 0;
    for (const KernelBuffer* buffer : shared_) bytes += 4 * shared_words(*buffer);
    if (dialect_ != SourceDialect::Cuda || bytes <= kCudaSharedBytes) return {};
    return std::unexpected(
        make_diag(DiagCode::B003, Span::none(),
                  fmt::format("`{}` has {} bytes of workgroup memory; CUDA C++ declares at most {}", k_.name,
                              bytes, kCudaSharedBytes),
                  "emit it as cpp, or as a program (vyre)"));
  }

  void comments(std::string_view head) {
    while (!head.empty()) {
      const size_t end = std::min(head.find('\n'), head.size());
      // A line that ends with a backslash would take the next one into the comment.
      const std::string_view line = head.substr(0, end);
      add("// {}{}\n", line, line.ends_with('\\') ? "." : "");
      head.remove_prefix(std::min(end + 1, head.size()));
    }
  }

  std::string expected(const KernelBuffer& buffer) const { return "expected_" + buffer.name; }
  std::string here(const KernelBuffer& buffer) const {
    return dialect_ == SourceDialect::Cpp ? source_buffer(buffer) : "words_" + buffer.name;
  }
  uint64_t elements(const KernelBuffer& buffer) const {
    return data_.buffers[buffer.argument].size() / spec::info(buffer.element).bytes;
  }
  bool is_compared(const KernelBuffer& buffer) const {
    return buffer.access == BufferAccess::ReadWrite && !data_.expected.empty();
  }

  void array(std::string_view type, const std::string& name, const std::vector<uint32_t>& words) {
    add("static {} {}[{}] = {{", type, name, words.size());
    for (size_t k = 0; k < words.size(); ++k) {
      add("{}0x{:08x}{}", k % 8 == 0 ? "\n    " : " ", words[k], k + 1 < words.size() ? "," : "");
    }
    add("}};\n");
  }
  void data() {
    for (const KernelBuffer* buffer : bound_) {
      add("\n// {} {} @{}: {} elements of {}\n", spec::text(buffer->access), buffer->name, buffer->binding,
          elements(*buffer), spec::text(buffer->element));
      array("u32", here(*buffer), words_of(*buffer, data_.buffers[buffer->argument]));
      if (is_compared(*buffer))
        array("const u32", expected(*buffer), words_of(*buffer, data_.expected[buffer->argument]));
    }
  }

  void prints() {
    add("  bool differs = false;\n");
    for (const KernelBuffer* buffer : bound_) {
      if (buffer->access != BufferAccess::ReadWrite) continue;
      const uint64_t bytes = data_.buffers[buffer->argument].size();
      add("  differs |= print(\"{}\", {}, {}, {});\n", buffer->name, here(*buffer), (bytes + 3) / 4,
          is_compared(*buffer) ? expected(*buffer) : "nullptr");
    }
    add("  return differs ? 1 : 0;\n}}\n");
  }
  bool asks_for_groups() const { return find(k_, InstKind::NumWorkgroups) != nullptr; }
  std::string local_ids(std::string_view thread) const {
    const auto& size = k_.workgroup_size;
    return fmt::format("{{{0} % {1}u, {0} / {1}u % {2}u, {0} / {3}u}}", thread, size[0], size[1],
                       size[0] * size[1]);
  }

  // ---- C++ -----------------------------------------------------------------------------------------------

  void cpp() {
    for (const KernelBuffer* buffer : bound_) {
      add("[[maybe_unused]] static constexpr u32 {} = {};\n", source_length(*buffer), elements(*buffer));
    }
    for (const KernelBuffer* buffer : shared_) {
      add("\n// workgroup {}: {} elements of {}\nstatic u32 {}[{}];\n", buffer->name, buffer->count,
          spec::text(buffer->element), source_buffer(*buffer), shared_words(*buffer));
      add("[[maybe_unused]] static constexpr u32 {} = {};\n", source_length(*buffer), buffer->count);
    }
    if (asks_for_groups())
      add("\nstatic constexpr u32 {}[3] = {{{}, {}, {}}};\n", kSourceGroups, data_.groups.x, data_.groups.y,
          data_.groups.z);
    add("\nstatic void invocation([[maybe_unused]] const u32 (&group)[3], [[maybe_unused]] const u32 "
        "(&local)[3]) "
        "{{\n{}}}\n",
        source_body(k_));
    add("\nstatic void workgroup(const u32 (&group)[3]) {{\n");
    for (const KernelBuffer* buffer : shared_)
      add("  for (u32& word : {}) word = 0;\n", source_buffer(*buffer));
    if (threads_) {
      add("  together.live = {0};\n  std::vector<std::thread> threads;\n"
          "  for (u32 thread = 0; thread < {0}; ++thread) {{\n    threads.emplace_back([&group, thread] {{\n"
          "      invocation(group, {1});\n      together.leave();\n    }});\n  }}\n"
          "  for (std::thread& thread : threads) thread.join();\n}}\n",
          k_.invocations(), local_ids("thread"));
    } else {
      add("  for (u32 thread = 0; thread < {}; ++thread) invocation(group, {});\n}}\n", k_.invocations(),
          local_ids("thread"));
    }
    add("\nint main() {{\n  for (u32 z = 0; z < {}; ++z) {{\n    for (u32 y = 0; y < {}; ++y) {{\n"
        "      for (u32 x = 0; x < {}; ++x) workgroup({{x, y, z}});\n    }}\n  }}\n",
        data_.groups.z, data_.groups.y, data_.groups.x);
    prints();
  }

  // ---- CUDA ----------------------------------------------------------------------------------------------

  void cuda() {
    std::string parameters;
    for (const KernelBuffer* buffer : bound_) {
      fmt::format_to(std::back_inserter(parameters), "{}u32* {}, u32 {}", parameters.empty() ? "" : ", ",
                     source_buffer(*buffer), source_length(*buffer));
    }
    add("\n__global__ void __launch_bounds__({}) kernel({}) {{\n", k_.invocations(), parameters);
    add("  [[maybe_unused]] const u32 group[3] = {{blockIdx.x, blockIdx.y, blockIdx.z}};\n");
    add("  [[maybe_unused]] const u32 local[3] = {};\n", local_ids("threadIdx.x"));
    if (asks_for_groups()) add("  const u32 {}[3] = {{gridDim.x, gridDim.y, gridDim.z}};\n", kSourceGroups);
    for (const KernelBuffer* buffer : shared_) {
      add("  __shared__ u32 {}[{}];\n  [[maybe_unused]] const u32 {} = {};\n", source_buffer(*buffer),
          shared_words(*buffer), source_length(*buffer), buffer->count);
      add("  for (u32 k = threadIdx.x; k < {}; k += {}) {}[k] = 0;\n", shared_words(*buffer),
          k_.invocations(), source_buffer(*buffer));
    }
    if (!shared_.empty()) add("  barrier();\n");
    add("{}}}\n\nstatic void check(cudaError_t error) {{\n  if (error == cudaSuccess) return;\n"
        "  std::fprintf(stderr, \"CUDA: %s\\n\", cudaGetErrorString(error));\n  std::exit(2);\n}}\n\nint "
        "main() {{\n",
        source_body(k_));
    std::string arguments;
    for (const KernelBuffer* buffer : bound_) {
      add("  u32* {0} = nullptr;\n  check(cudaMalloc(&{0}, sizeof {1}));\n"
          "  check(cudaMemcpy({0}, {1}, sizeof {1}, cudaMemcpyHostToDevice));\n",
          source_buffer(*buffer), here(*buffer));
      fmt::format_to(std::back_inserter(arguments), "{}{}, {}u", arguments.empty() ? "" : ", ",
                     source_buffer(*buffer), elements(*buffer));
    }
    add("  kernel<<<dim3({}, {}, {}), {}>>>({});\n  check(cudaGetLastError());\n  "
        "check(cudaDeviceSynchronize());\n",
        data_.groups.x, data_.groups.y, data_.groups.z, k_.invocations(), arguments);
    for (const KernelBuffer* buffer : bound_) {
      add("  check(cudaMemcpy({0}, {1}, sizeof {0}, cudaMemcpyDeviceToHost));\n", here(*buffer),
          source_buffer(*buffer));
    }
    prints();
  }

  const Kernel& k_;
  const SourceDialect dialect_;
  const SourceCase& data_;
  const bool threads_;
  std::vector<const KernelBuffer*> bound_, shared_;  // bound: in the order of their arguments
  std::string out_;
};

}  // namespace

Result<std::string> emit_source(const Kernel& kernel, SourceDialect dialect, const SourceCase& data,
                                std::string_view head) {
  return File(kernel, dialect, data).run(head);
}

}  // namespace vyre::lower
