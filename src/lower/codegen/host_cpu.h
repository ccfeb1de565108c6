// The CPU that this process runs on, as LLVM names it: what decides the code that is made for it.
//
// Of LLVM this needs the part that asks a processor for its name, which starts nothing.
#pragma once

#include <string>

namespace vyre::lower {

struct HostCpu {
  std::string name;          // "znver4"
  std::string architecture;  // "x86_64"
  std::string triple;        // "x86_64-pc-linux-gnu"
  std::string features;      // "+avx2,..."
  std::string vectors;       // the widest that it has: "AVX-512", "AVX2", "NEON", "no vectors"
};
const HostCpu& host_cpu();

/// "19.1.7"
std::string llvm_version();

}  // namespace vyre::lower
