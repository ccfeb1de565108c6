// Code of a device: PTX to machine code, machine code to kernels, kernels to launches.
#include <fmt/format.h>

#include <array>

#include "backend/cuda/device.h"

namespace vyre::backend::cuda {
namespace {

/// "7.8", of the line ".version 7.8".
std::string_view ptx_version(std::string_view ptx) {
  constexpr std::string_view kMark = ".version ";
  const size_t at = ptx.find(kMark);
  if (at == ptx.npos) return "of no version";
  const std::string_view rest = ptx.substr(at + kMark.size());
  return rest.substr(0, rest.find_first_of(" \t\r\n"));
}

/// Owns what the driver's linker makes, which goes with it.
class LinkJob {
 public:
  explicit LinkJob(const Driver& driver) : driver_(driver) {}
  LinkJob(const LinkJob&) = delete;
  ~LinkJob() {
    if (linker_ != nullptr) driver_.release_linker(linker_);
  }

  Status run(const std::string& ptx, uint32_t optimisation, Bytes& out) {
    std::array names = {JitOption::ErrorLog, JitOption::ErrorLogBytes, JitOption::Optimisation};
    std::array values = {static_cast<void*>(log_.data()), reinterpret_cast<void*>(log_.size() - 1),
                         reinterpret_cast<void*>(uintptr_t{optimisation})};
    Status status = driver_.make_linker(unsigned(names.size()), names.data(), values.data(), &linker_);
    // The driver wants the zero at the end to be part of the text.
    if (status == kSuccess) {
      status = driver_.add_code(linker_, CodeKind::Ptx, const_cast<char*>(ptx.c_str()), ptx.size() + 1,
                                "vyre.ptx", 0, nullptr, nullptr);
    }
    void* binary = nullptr;
    size_t bytes = 0;
    if (status == kSuccess) status = driver_.finish_linking(linker_, &binary, &bytes);
    if (status != kSuccess) return status;
    const auto* const first = static_cast<const std::byte*>(binary);
    out.assign(first, first + bytes);
    return status;
  }
  const char* log() const { return log_.data(); }

 private:
  const Driver& driver_;
  Linker linker_ = nullptr;
  std::array<char, 8192> log_{};
};

}  // namespace

Diag Device::refused(Status status, const std::string& ptx, const char* log) {
  if (status == kPtxTooNew) {
    return make_diag(DiagCode::B001, Span::none(),
                     fmt::format("cuda: the driver speaks CUDA {}, which is too old for PTX {}",
                                 cuda_version(driver_.version), ptx_version(ptx)),
                     "install a newer driver");
  }
  if (status == kNoPtxCompiler) {
    return make_diag(
        DiagCode::B001, Span::none(),
        "cuda: the driver's compiler, libnvidia-ptxjitcompiler.so.1, is not there",
        "install all of NVIDIA's driver; in a container, NVIDIA_DRIVER_CAPABILITIES must have compute");
  }
  return make_diag(DiagCode::L003, Span::none(),
                   fmt::format("the CUDA driver refuses the PTX: {}: {}", driver_.describe(status), log),
                   "report the program; another backend can run it");
}

Result<Bytes> Device::assemble(const std::string& ptx, uint32_t optimisation) {
  VYRE_CHECK(attach());
  LinkJob job(driver_);
  Bytes out;
  const Status status = job.run(ptx, optimisation, out);
  if (status == kSuccess) return out;
  if (status == kOutOfMemory || Driver::is_lost(status)) VYRE_CHECK(check(status, "assembling a kernel"));
  return std::unexpected(refused(status, ptx, job.log()));
}

Diag Device::too_large(Function function, uint32_t threads) {
  int allowed = 0, registers = 0;
  driver_.function_attribute(&allowed, FunctionAttribute::MaxThreadsPerBlock, function);
  driver_.function_attribute(&registers, FunctionAttribute::Registers, function);
  return make_diag(
      DiagCode::B003, Span::none(),
      fmt::format("cuda: a workgroup of {} invocations was asked for; this kernel's {} registers an "
                  "invocation leave room for {}",
                  threads, registers, allowed),
      "use a smaller workgroup");
}

Result<LoadedKernel> Device::find(const std::shared_ptr<ModuleTag>& module, const Entry& entry) {
  Function function = nullptr;
  VYRE_CHECK(check(driver_.function(&function, module.get(), entry.name.c_str()), "finding a kernel"));
  int allowed = 0;
  VYRE_CHECK(check(driver_.function_attribute(&allowed, FunctionAttribute::MaxThreadsPerBlock, function),
                   "asking for a kernel's resources"));
  const uint32_t threads = entry.block[0] * entry.block[1] * entry.block[2];
  if (threads > uint32_t(allowed)) return std::unexpected(too_large(function, threads));
  // Without this a kernel gets 48 KiB at most.
  if (entry.shared_bytes != 0) {
    VYRE_CHECK(check(driver_.set_function_attribute(function, FunctionAttribute::MaxDynamicSharedBytes,
                                                    int(entry.shared_bytes)),
                     "reserving workgroup memory"));
  }
  return LoadedKernel{module, function, entry.block, entry.shared_bytes};
}

Result<std::vector<LoadedKernel>> Device::load(const Code& code) {
  VYRE_CHECK(attach());
  Module loaded = nullptr;
  const Status status = driver_.load_module(&loaded, code.binary.data());
  if (status != kSuccess) {
    if (status == kOutOfMemory || Driver::is_lost(status)) VYRE_CHECK(check(status, "loading code"));
    return std::unexpected(make_diag(DiagCode::L003, Span::none(),
                                     "the CUDA driver refuses its own code: " + driver_.describe(status),
                                     "report the program; another backend can run it"));
  }
  const std::shared_ptr<ModuleTag> module(loaded, [device = shared_device()](Module m) {
    device->driver_.set_context(device->context_);
    device->driver_.unload_module(m);
  });
  std::vector<LoadedKernel> kernels;
  for (const Entry& entry : code.entries) {
    VYRE_TRY(kernel, find(module, entry));
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

Result<void> Device::launch(const Turn&, const LoadedKernel& kernel, layout::Groups groups,
                            std::span<void*> arguments) {
  const auto [x, y, z] = kernel.block;
  const Status status = driver_.launch(kernel.function, groups.x, groups.y, groups.z, x, y, z,
                                       kernel.shared_bytes, stream_, arguments.data(), nullptr);
  if (status == kOutOfResources) return std::unexpected(too_large(kernel.function, x * y * z));
  if (status == kOutOfMemory) {
    int local = 0;
    driver_.function_attribute(&local, FunctionAttribute::LocalBytes, kernel.function);
    return std::unexpected(out_of_memory(fmt::format("the {} bytes that each invocation spills", local)));
  }
  return check(status, "starting a kernel");
}

Result<void> Device::launch(const Turn&, GraphExec graph) {
  return check(driver_.launch_graph(graph, stream_), "starting a graph");
}

}  // namespace vyre::backend::cuda
