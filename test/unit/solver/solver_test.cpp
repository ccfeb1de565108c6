// Solvers and proofs: what is answered, and what becomes of a solver that does not answer.
#include "solver/solver.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <cstdlib>
#include <fstream>

#include "base/random.h"
#include "oracle.h"
#include "solver/prover.h"

VYRE_ORACLE(SpecificationTable, "solver.h and prover.h; what was planted, and facts of mathematics");

namespace vyre::solver {
namespace {

using smt::Assigned;
using smt::Bits;
using smt::Pool;
using smt::Term;

/// An environment variable with a value of its own while this lives.
class Environment {
 public:
  Environment(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    ::setenv(name, value.c_str(), 1);
  }
  ~Environment() {
    if (before_) {
      ::setenv(name_, before_->c_str(), 1);
    } else {
      ::unsetenv(name_);
    }
  }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

/// A program that stands for a solver: a entry-point emitter script.
std::string script_of(std::string_view name, std::string_view body) {
  const std::string path = testing::TempDir() + "solver_" + std::string(name);
  std::ofstream(path) << "#!/bin/sh\n" << body;
  ::chmod(path.c_str(), 0755);
  return path;
}
constexpr std::string_view kIntroduction = "read line; echo '(:version \"9.9\")'\n";

class Each : public testing::TestWithParam<Which> {
 protected:
  void SetUp() override {
    auto solver = open(GetParam());
    ASSERT_TRUE(solver) << solver.error() << " (./dev installs it)";
    solver_ = std::move(*solver);
  }
  std::unique_ptr<Solver> solver_;
};
INSTANTIATE_TEST_SUITE_P(Solvers, Each, testing::Values(Which::Z3, Which::Cvc5),
                         [](const auto& info) { return info.param == Which::Z3 ? "Z3" : "Cvc5"; });

TEST_P(Each, AnswersAndGivesModels) {
  VYRE_ORACLE(
      Law, "arithmetic modulo 2^32: a + b = b + a; a - b = b - a has counterexamples and x * x = 17 roots");
  Pool p;
  const Term a = p.variable("a", 32), b = p.variable("b", 32), c = p.variable("c", 0);
  EXPECT_EQ(solver_->check(p, p.ne(p.add(a, b), p.add(b, a)), {}).answer, Answer::Unsatisfiable);
  const Term roots = p.and_(c, p.and_(p.eq(p.mul(a, a), p.constant(32, 17)), p.ne(p.sub(a, b), p.sub(b, a))));
  const Reply reply = solver_->check(p, roots, {});
  ASSERT_EQ(reply.answer, Answer::Satisfiable) << reply.reason;
  EXPECT_EQ(reply.model.size(), 3u);
  EXPECT_EQ(smt::evaluate(p, roots, reply.model), Bits{1});
  EXPECT_EQ(solver_->check(p, p.truth(true), {}).answer, Answer::Satisfiable);
  EXPECT_EQ(solver_->check("(set-logic QF_UF)\n(assert false)\n", {}).answer, Answer::Unsatisfiable);
}

TEST_P(Each, SaysThatItRanOutOfTimeAndGoesOn) {
  // No product of two 64-bit numbers above 1 is this prime, which takes long to find.
  Pool p;
  const Term a = p.zero_extend(p.variable("a", 60), 120), b = p.zero_extend(p.variable("b", 60), 120);
  const Bits mersenne = (Bits{1} << 107) - 1;  // prime
  const Term factors = p.and_(p.eq(p.mul(a, b), p.constant(120, mersenne)),
                              p.and_(p.ult(p.constant(120, 1), a), p.ult(p.constant(120, 1), b)));
  const Reply late = solver_->check(p, factors, {.seconds = 0.5});
  EXPECT_EQ(late.answer, Answer::Unknown);
  EXPECT_EQ(late.reason, "no answer within 0.5 s");
  EXPECT_LT(late.seconds, 5);
  EXPECT_EQ(solver_->check(p, p.truth(false), {}).answer, Answer::Unsatisfiable);
}

TEST_P(Each, MeansByEveryOperatorWhatTheEvaluatorDoes) {
  VYRE_ORACLE(ReferenceInterpreter,
              "every operator as the evaluator has it, which test_smt holds to schoolbook arithmetic: the "
              "formula \"operator of these two constants is not what the evaluator says\" is unsatisfiable");
  RandomStream random(1, 2);
  for (const uint32_t width : {1u, 5u, 32u, 64u, 128u}) {
    Pool p;
    const Term a = p.variable("a", width), b = p.variable("b", width);
    const auto value = [&] {
      Bits out = 0;
      for (int i = 0; i < 4; ++i) out = (out << 32) | random.next();
      return random.chance(3) ? Bits{random.below(width + 2)} : out;
    };
    for (int round = 0; round < 6; ++round) {
      const Term x = p.constant(width, value()), y = p.constant(width, round == 0 ? Bits{0} : value());
      std::vector<Term> claims;
      const auto hold = [&](Term of_variables, Term of_constants) {
        claims.push_back(p.eq(of_variables, of_constants));
      };
      for (const auto make :
           {&Pool::add, &Pool::sub, &Pool::mul, &Pool::udiv, &Pool::urem, &Pool::sdiv, &Pool::srem,
            &Pool::bit_and, &Pool::bit_or, &Pool::bit_xor, &Pool::shl, &Pool::lshr, &Pool::ashr, &Pool::eq,
            &Pool::ult, &Pool::ule, &Pool::slt, &Pool::sle})
        hold((p.*make)(a, b), (p.*make)(x, y));
      for (const auto make : {&Pool::bit_not, &Pool::neg}) hold((p.*make)(a), (p.*make)(x));
      if (width <= 64) hold(p.concat(a, b), p.concat(x, y));
      if (width < 128) hold(p.sign_extend(a, width + 1), p.sign_extend(x, width + 1));
      if (width < 128) hold(p.zero_extend(a, width + 1), p.zero_extend(x, width + 1));
      if (width > 1) hold(p.extract(a, 1, width - 1), p.extract(x, 1, width - 1));
      hold(p.ite(p.ult(a, b), a, b), p.ite(p.ult(x, y), x, y));
      const Term here = p.and_(p.eq(a, x), p.eq(b, y));
      const Reply reply = solver_->check(p, p.and_(here, p.not_(p.all(claims))), {.seconds = 60});
      EXPECT_EQ(reply.answer, Answer::Unsatisfiable) << width << ": " << reply.reason;
    }
  }
}

TEST(Solver, MissingOnes) {
  {
    const Environment none("VYRE_Z3", ""), nowhere("VYRE_CVC5", "/nowhere/cvc5");
    EXPECT_EQ(open(Which::Z3).error(), "z3: VYRE_Z3 is empty");
    EXPECT_EQ(open(Which::Cvc5).error(), "cvc5: No such file or directory");
    Prover prover;
    Pool p;
    const Term a = p.variable("a", 8);
    const Proof proof = prover.prove(p, p.eq(a, a), std::vector{a});
    EXPECT_EQ(proof.outcome, Outcome::Open);
    EXPECT_EQ(proof.reason, "no solver: z3: VYRE_Z3 is empty; cvc5: No such file or directory");
  }
  const Environment other("VYRE_Z3", script_of("echo", "exec cat\n"));
  EXPECT_EQ(open(Which::Z3).error(), "z3: it answers (get-info :version) with '(get-info :version)'");
}

TEST(Solver, OnesThatMisbehave) {
  struct Case {
    std::string_view name, body, reason;
  };
  const Case cases[] = {
      {"ends", "exit 3", "its process exited with status 3"},
      {"crashes", "kill -SEGV $$", "its process ended by signal 11"},
      {"sleeps", "exec sleep 60", "no answer within 0.3 s"},
      {"talks", "while read line; do [ \"$line\" = '(check-sat)' ] && echo '(error \"no\")'; done",
       "z3: it said '(error \"no\")'"},
      {"memory",
       "while read line; do [ \"$line\" = '(check-sat)' ] && echo '(error \"out of memory\")'; done",
       "z3: no more memory than 2048 MB"},
      {"modelless",
       "while read line; do case $line in '(check-sat)') echo sat;; '(echo \"vyre\")') echo vyre;; "
       "esac; done",
       "z3: it answered sat and gave no model that can be read"},
      {"liar",
       "while read line; do case $line in '(check-sat)') echo sat;; '(get-value'*) echo '((a #x00))';; "
       "'(echo \"vyre\")') echo vyre;; esac; done",
       "z3 gave a counterexample that is none"},
  };
  for (const Case& c : cases) {
    const Environment path("VYRE_Z3", script_of(c.name, std::string(kIntroduction) + std::string(c.body)));
    Prover prover({.limits = {.seconds = 0.3}});
    Pool p;
    const Term a = p.variable("a", 8);
    const Proof proof =
        prover.prove(p, p.eq(p.mul(a, a), p.mul(a, p.add(a, p.constant(8, 0)))), std::vector{a});
    EXPECT_EQ(proof.outcome, Outcome::Open) << c.name;
    EXPECT_TRUE(proof.reason.contains(c.reason)) << c.name << ": " << proof.reason;
  }
}

TEST(Prover, Disagreement) {
  // prover.h: when the two disagree a counterexample that is one decides, else neither does.
  const std::string unsat =
      script_of("unsat", std::string(kIntroduction) +
                             "while read line; do [ \"$line\" = '(check-sat)' ] && echo unsat; done");
  const Environment path("VYRE_Z3", unsat);
  Prover prover({.confirm = true, .trying = 0});
  Pool p;
  const Term a = p.variable("a", 8), b = p.variable("b", 8);
  const Proof wrong = prover.prove(p, p.eq(p.sub(a, b), p.sub(b, a)), std::vector{a, b});
  EXPECT_EQ(wrong.outcome, Outcome::Refuted);
  EXPECT_EQ(wrong.reason, "z3 and cvc5 disagree");
  const Proof right = prover.prove(p, p.eq(p.add(a, b), p.add(b, a)), std::vector{a, b});
  EXPECT_EQ(right.outcome, Outcome::Proved);
  EXPECT_TRUE(right.confirmed.starts_with("cvc5 ")) << right.confirmed;
}

TEST(Prover, TheOtherSolverIsAskedWhereTheFirstHasNoAnswer) {
  const std::string unsure =
      script_of("unsure", std::string(kIntroduction) +
                              "while read line; do case $line in '(check-sat)') echo unknown;; "
                              "'(get-info :reason-unknown)') echo '(:reason-unknown \"incomplete\")';; "
                              "'(echo \"vyre\")') echo vyre;; esac; done");
  const Environment path("VYRE_Z3", unsure);
  Pool p;
  const Term a = p.variable("a", 8), b = p.variable("b", 8);
  const Term commutes = p.eq(p.add(a, b), p.add(b, a)), wrong = p.eq(p.sub(a, b), p.sub(b, a));
  Prover alone({.limits = {.seconds = 1}, .trying = 0});
  EXPECT_EQ(alone.prove(p, wrong, std::vector{a, b}).outcome, Outcome::Open);
  Prover prover({.limits = {.seconds = 1}, .otherwise = {.seconds = 20}, .smallest = false, .trying = 0});
  EXPECT_TRUE(prover.about().contains("else cvc5 ")) << prover.about();
  const Proof proved = prover.prove(p, commutes, std::vector{a, b});
  EXPECT_EQ(proved.outcome, Outcome::Proved);
  EXPECT_TRUE(proved.solver.starts_with("cvc5 ")) << proved.solver;
  const Proof refuted = prover.prove(p, wrong, std::vector{a, b});
  ASSERT_EQ(refuted.outcome, Outcome::Refuted);
  EXPECT_EQ(smt::evaluate(p, wrong, refuted.witness), 0u);
}

/// The least tuple at which the claim is false in the order of semantics, by trying all.
std::vector<Bits> smallest_of(const Pool& p, Term claim, const std::vector<Term>& variables) {
  std::vector<Bits> best;
  Bits best_largest = 256;
  smt::Evaluation value(p, claim);
  const auto try_one = [&](const std::vector<Bits>& tuple) {
    Bits largest = 0;
    for (const Bits x : tuple) largest = std::max(largest, x);
    if (value(tuple) != 0 || largest > best_largest || (largest == best_largest && tuple >= best)) return;
    best = tuple;
    best_largest = largest;
  };
  std::vector<Bits> tuple(variables.size());
  for (;;) {
    try_one(tuple);
    size_t i = 0;
    while (i < tuple.size() && ++tuple[i] == 256) tuple[i++] = 0;
    if (i == tuple.size()) return best;
  }
}

TEST(Prover, FindsTheSmallestCounterexample) {
  VYRE_ORACLE(CpuReference, "all tuples of 8 bits tried one by one");
  Prover prover({.trying = 0});
  RandomStream random(5, 5);
  for (int round = 0; round < 30; ++round) {
    Pool p;
    const Term a = p.variable("a", 8), b = p.variable("b", 8);
    const Term x = p.constant(8, random.next()), y = p.constant(8, random.next() | 1);
    // False at few places, and where they lie is hard to see.
    const Term claim = p.or_(p.ne(p.mul(p.add(a, x), y), p.bit_xor(b, x)), p.ult(p.udiv(b, y), p.urem(a, y)));
    const Proof proof = prover.prove(p, claim, std::vector{a, b});
    const std::vector<Bits> expected = smallest_of(p, claim, {a, b});
    if (expected.empty()) {
      EXPECT_EQ(proof.outcome, Outcome::Proved);
      continue;
    }
    ASSERT_EQ(proof.outcome, Outcome::Refuted);
    EXPECT_TRUE(proof.smallest);
    EXPECT_TRUE(proof.witness[0].value == expected[0] && proof.witness[1].value == expected[1]);
  }
}

TEST(Prover, TriesAllThereIsWhereNoSolverAnswers) {
  const Environment path("VYRE_Z3", script_of("silent", std::string(kIntroduction) + "exec sleep 60"));
  Prover prover({.limits = {.seconds = 0.2}, .trying = 100});
  Pool p;
  const Term a = p.variable("a", 8), b = p.variable("b", 8), c = p.variable("c", 8);
  const auto is = [&](Term v, Bits value) { return p.eq(v, p.constant(8, value)); };
  const Term there = p.and_(is(a, 40), p.and_(is(b, 31), is(c, 3)));
  const Proof refuted = prover.prove(p, p.not_(there), std::vector{a, b, c});
  ASSERT_EQ(refuted.outcome, Outcome::Refuted) << refuted.reason;
  EXPECT_TRUE(refuted.smallest);
  EXPECT_EQ(refuted.solver, "");
  EXPECT_TRUE(refuted.witness[0].value == 40 && refuted.witness[1].value == 31 &&
              refuted.witness[2].value == 3);
  const Proof open = Prover({.limits = {.seconds = 0.2}, .trying = 100})
                         .prove(p, p.or_(p.ne(a, b), p.eq(b, a)), std::vector{a, b});
  EXPECT_EQ(open.outcome, Outcome::Open);
  EXPECT_EQ(open.reason, "z3: no answer within 0.2 s");
}

TEST(Prover, FindsOnePairInTwoToTheSixtyFour) {
  Prover prover;
  Pool p;
  const Term a = p.variable("a", 32), b = p.variable("b", 32);
  const Term here = p.and_(p.eq(a, p.constant(32, 0xdeadbeef)), p.eq(b, p.constant(32, 0x12345678)));
  const Term f = p.ite(here, p.constant(32, 0), p.add(a, b)), g = p.add(b, a);
  const Proof proof = prover.prove(p, p.eq(f, g), std::vector{a, b});
  ASSERT_EQ(proof.outcome, Outcome::Refuted);
  EXPECT_TRUE(proof.smallest);
  EXPECT_EQ(uint64_t(proof.witness[0].value), 0xdeadbeefu);
  EXPECT_EQ(uint64_t(proof.witness[1].value), 0x12345678u);
}

}  // namespace
}  // namespace vyre::solver
