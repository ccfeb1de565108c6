// A program file as cases of a page: each `// run:` directive in it is one dispatch.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/files.h"
#include "web/page.h"

namespace vyre::web {

/// The runs of a file, in its order. What is expected comes from the reference, and what a directive says
/// behind => must be that.
///
/// `label` names the file in what the page shows, for people elsewhere: "block_sum.vyre:3" is the run of
/// line 3. Errors  B002, B003 as portable_module; P017 when there is no directive (a wire file has none), or
/// one that
///         names an unknown buffer or a value that does not fit; X001 to X012 for a dispatch that cannot be;
///         X008 where the reference contradicts the directive.
///
/// `entry`: the program is the one of this name, and its runs are those that name it; without it the runs are
/// of the file as it stands.
Result<std::vector<Case>> cases_of(const host::CheckedFile& file, const std::string& label,
                                   const std::optional<std::string>& entry = std::nullopt);

}  // namespace vyre::web
