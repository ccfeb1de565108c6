// With test/compile/reserved before src on the include path: the ledger has an operator at a reserved tag.
#include "wire/tags.h"
