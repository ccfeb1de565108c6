// What a CPU reference function may see: words, and nothing of vyre.
//
// The .cpp of an operation begins with its reference function, under this header alone; what follows brings
// in vyre. The composition is not in this file but in the .vyre beside it. So the compiler itself keeps the
// two definitions apart: at the point where the reference stands, there is no IR, no evaluator and no other
// operation it could lean on. test/layers.py holds the order of the includes.
#pragma once

#include <cstdint>
