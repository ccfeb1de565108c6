// Values on the device: an operation against its formula, on cases that never leave the device.
//
// Parity on the host is as fast as buffers travel and the host computes what is expected. Here both are done
// where the backend is: inputs are made from the case's number, the operation and its formula (formula.h) are
// applied to them, and what comes back is how many differ and where the first one is. It is a sweep of the
// law "the operation is its formula" (device_laws.h), believed for the same reasons: every case counted into
// memory that started as poison, canaries that must fail, samples held to the reference function. The oracle
// is the law; what it trusts is that the backend does not get the plain words of the formula wrong in the
// very way that hides what it gets wrong in the operation. It adds to parity and replaces none of it.
#pragma once

#include <expected>
#include <memory>
#include <string>

#include "algebra/law.h"
#include "verify/device_laws.h"
#include "verify/verdict.h"

namespace vyre::verify {

/// The library, and the formulas of its operations: what programs of values call. A worker's table wants them
/// too. Built once; lives for the whole program.
const spec::OpTable& value_table();

/// The law that an operation of the library is its formula; lives for the whole program. The error is why it
/// has none.
std::expected<const algebra::BoundLaw*, std::string> value_law(const ops::Operation& operation);

/// How many cases one count of the verdict stands for.
inline constexpr uint64_t kValueCases = uint64_t{1} << 20;

/// Runs `cases` of them, or a 2^8th where the operation branches, rounded up to kValueCases, and adds to the
/// verdict: the tally of the oracle Law, in units of kValueCases, its leaf "device", and what failed, with
/// the smallest input that still fails. Nothing where the operation has no formula. Errors  the backend's.
/// Cost  see docs/harness.md.
Result<void> check_values(backend::Backend& backend, const ops::Operation& operation, uint64_t cases,
                          uint64_t seed, const Monitor& monitor, Verdict& verdict);

}  // namespace vyre::verify
