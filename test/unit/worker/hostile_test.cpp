#include "hostile.h"

namespace vyre::worker {

int be_hostile(const std::string&, int) { return 0; }

}  // namespace vyre::worker
