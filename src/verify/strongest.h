// Which oracle judges a case: the first of the hierarchy that applies.
//
// The maker of cases says what there is for them, and this walks down the list. Source: oracles, "How to
// pick the oracle for your test".
#pragma once

#include "spec/oracle.h"

namespace vyre::verify {

/// What there is to judge a case by.
struct Applicable {
  bool law = false;        // a declared law says it, and it was verified on the definition
  bool row = false;        // a row of a specification table has these inputs
  bool program = false;    // it is a program or an operator of one: the interpreter defines it
  bool operation = false;  // it is one operation: its reference function defines it
  bool theorem = false;    // a proved theorem gives the law from those of the parts
  bool corpus = false;     // it was published
};

constexpr spec::Oracle strongest(const Applicable& there) {
  if (there.law) return spec::Oracle::Law;
  if (there.row) return spec::Oracle::SpecificationTable;
  if (there.program) return spec::Oracle::ReferenceInterpreter;
  if (there.operation) return spec::Oracle::CpuReference;
  if (there.theorem) return spec::Oracle::CompositionTheorem;
  if (there.corpus) return spec::Oracle::ExternalCorpus;
  return spec::Oracle::Property;
}

}  // namespace vyre::verify
