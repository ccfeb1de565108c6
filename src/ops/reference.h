// What a CPU reference function may see: words, and nothing of vyre.
//
// An operation's file has two parts. First comes the reference, under this header alone; then ops/operation.h
// brings in the builder and the composition is written. So the compiler itself keeps the two definitions of
// an operation apart: at the point where the reference stands, there is no IR, no evaluator and no other
// operation it could lean on. test/layers.py holds the order of the includes.
#pragma once

#include <cstdint>
