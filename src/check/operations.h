// The rules about operations of a file beyond their bodies: ids, versions, alternatives, laws, witnesses and
// rows.
#pragma once

#include <span>
#include <vector>

#include "check/callees.h"
#include "ir/module.h"
#include "spec/law_types.h"

namespace vyre::check {

/// Whether ids that begin as this one does are the library's.
bool is_library_id(std::string_view id);

/// The last word of the id of a second definition.
inline constexpr std::string_view kAlternative = ".alternative";
/// What an alternative judges: its id without the last word. Empty: it is none.
std::string_view judged_by(std::string_view id);

/// A law of a file in the words of the specification; `fits` says why it is none, at which place.
struct UnderstoodLaw {
  spec::LawKind kind{};
  std::vector<const spec::OpDef*> others;  // the operations it names
  std::vector<std::array<uint32_t, 4>> values;
  std::vector<DataType> variables;  // the type of each
};
/// Errors (V048) go to the report: no such law, other arguments, or a signature that it does not fit.
std::optional<UnderstoodLaw> understand(const ir::LawText& law, const ir::Operation& operation,
                                        const spec::OpSignature& signature, const spec::OpTable& ops,
                                        Report& report);

/// Id and version, and that the signature is one of values. False when the operation cannot be registered.
bool check_operation_head(const ir::Operation& operation, Report& report);
/// Laws, witnesses and rows. What the laws name, which their evaluation calls.
std::vector<CallSite> check_claims(const ir::Operation& operation, const spec::OpDef& def,
                                   const spec::OpTable& ops, Report& report);

}  // namespace vyre::check
