// The kinds of cases, one function to make each. Internal to suite: find_case() picks one.
#pragma once

#include <memory>
#include <optional>

#include "suite/case.h"
#include "verify/buffer_operation.h"
#include "verify/culprit.h"
#include "verify/engine_check.h"
#include "verify/families.h"
#include "verify/parity.h"
#include "verify/tensor_check.h"

namespace vyre::suite {

/// A function of values at operands: an operation, an operator at a type, a cast.
std::unique_ptr<Case> element_case(verify::Subject subject, verify::Token token);
/// A case of an operation over buffers, or a law of it.
std::unique_ptr<Case> buffer_case(const verify::BufferSubject& operation, verify::Token token);
/// A promise of an engine, or the bytes of a generated one.
std::unique_ptr<Case> engine_case(verify::EngineCase engine, verify::Token token);
/// A graph, of an operation on tensors or a random one.
std::unique_ptr<Case> tensor_case(const verify::TensorSubject& subject, verify::Token token);
/// A law of an operation at values of its variables.
std::unique_ptr<Case> law_case(const ops::Operation& operation, verify::Token token);
/// What a token of a whole family names: a program, a row of ir.shapes, the planted-false laws, or a claim.
std::unique_ptr<Case> family_case(verify::Family family, verify::Token token);

/// C003 for a part of a token that this build does not know: "subject" or "strategy".
Diag unknown_part(const verify::Token& token, std::string_view what);

/// Runs the dispatches of a scenario in a restarted backend until one goes wrong. `type`: of a wrong answer.
Result<void> replay_scenario(const verify::Scenario& scenario, verify::Bench& bench,
                             backend::Backend& backend, spec::DataType type, Replay& out);

}  // namespace vyre::suite
