// Operations and calls: what only a table of operations can get wrong, built by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <vector>

#include "check/checked.h"
#include "ir/builder.h"
#include "oracle.h"
#include "spec/ops.h"

VYRE_ORACLE(SpecificationTable,
            "semantics, \"Structure\", the ledger of intrinsics, and ir.h, \"Function\"; counts and "
            "signatures by hand");

namespace vyre::check {
namespace {

using ir::Ex;
using ir::FunctionBuilder;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr DataType kU32 = DataType::U32;

/// Operations of one u32 argument and a u32 result, each the sum of calls of others.
class Library {
 public:
  void add(const std::string& id, const std::vector<std::string>& callees) {
    FunctionBuilder f(id);
    const Ex a = f.parameter("a", kU32);
    Ex sum = a + 1;
    for (const std::string& callee : callees) sum = sum + f.call(callee, {a});
    add(f.finish(sum, kU32), {{kU32}, kU32});
  }
  void add(ir::Function body, spec::OpSignature signature) {
    bodies_.push_back(std::move(body));
    ops.add({bodies_.back().id, 1, std::move(signature), spec::Category::A, &bodies_.back()});
  }
  spec::OpTable ops;

 private:
  std::deque<ir::Function> bodies_;
};

std::vector<std::string> codes(const Diagnostics& diags) {
  std::vector<std::string> out;
  for (const Diag& diag : diags) out.emplace_back(diag_info(diag.code).name);
  return out;
}

Diagnostics calling(const std::vector<std::string>& callees, const spec::OpTable& ops) {
  ir::ProgramBuilder p("p");
  const auto out = p.read_write("out", kU32, 0);
  for (const std::string& callee : callees) p.store(out, p.u32(0), p.call(callee, {p.u32(1)}));
  auto checked = check(p.finish(), ops);
  return checked ? Diagnostics() : checked.error();
}

TEST(Calls, RecursionIsRefusedAndTheCycleNamed) {
  Library library;
  library.add("t.self", {"t.self"});
  library.add("t.a", {"t.b"});
  library.add("t.b", {"t.c"});
  library.add("t.c", {"t.a"});
  library.add("t.diamond", {"t.leaf", "t.left", "t.right"});
  library.add("t.left", {"t.leaf"});
  library.add("t.right", {"t.leaf"});
  library.add("t.leaf", {});
  const Diagnostics self = calling({"t.self"}, library.ops);
  ASSERT_THAT(codes(self), ElementsAre("V020"));
  EXPECT_THAT(self[0].message, HasSubstr("`t.self@1` calls `t.self@1`"));
  const Diagnostics cycle = calling({"t.a"}, library.ops);
  ASSERT_THAT(codes(cycle), ElementsAre("V020"));
  EXPECT_THAT(cycle[0].message, HasSubstr("`t.a@1` calls `t.b@1` calls `t.c@1` calls `t.a@1`"));
  EXPECT_THAT(codes(calling({"t.diamond", "t.leaf"}, library.ops)), ElementsAre());
}

TEST(Calls, DepthIsLimited) {
  // Semantics, "Structure": call depth 32; the call of a leaf from the program is depth 1.
  Library library;
  library.add("t.f1", {});
  for (int i = 2; i <= 100'000; ++i) library.add("t.f" + std::to_string(i), {"t.f" + std::to_string(i - 1)});
  EXPECT_THAT(codes(calling({"t.f32"}, library.ops)), ElementsAre());
  EXPECT_THAT(codes(calling({"t.f33"}, library.ops)), ElementsAre("V021"));
  EXPECT_THAT(codes(calling({"t.f40", "t.f10", "t.f33"}, library.ops)), ElementsAre("V021", "V021"));
  EXPECT_THAT(codes(calling({"t.f100000"}, library.ops)), ElementsAre("V021"));
  // An operation by itself is at depth 1.
  EXPECT_TRUE(check(*library.ops.find("t.f32", 1)->body, library.ops).has_value());
  const auto deep = check(*library.ops.find("t.f33", 1)->body, library.ops);
  ASSERT_FALSE(deep.has_value());
  EXPECT_THAT(codes(deep.error()), ElementsAre("V021"));
}

// covers: CC-08
TEST(Calls, BodyMustFitTheSignature) {
  Library library;
  {
    FunctionBuilder f("t.result");
    const Ex a = f.parameter("a", kU32);
    library.add(f.finish(f.cast(DataType::I32, a), kU32), {{kU32}, kU32});
  }
  {
    FunctionBuilder f("t.parameter");
    f.parameter("a", DataType::I32);
    library.add(f.finish(f.u32(1), kU32), {{kU32}, kU32});
  }
  library.ops.add({"t.none", 1, {{kU32}, kU32}, spec::Category::A, nullptr});
  library.add("t.outer", {"t.result"});
  EXPECT_THAT(codes(calling({"t.result"}, library.ops)), ElementsAre("V035"));
  EXPECT_THAT(codes(calling({"t.parameter"}, library.ops)), ElementsAre("V035"));
  EXPECT_THAT(codes(calling({"t.none"}, library.ops)), ElementsAre("V035"));
  EXPECT_THAT(codes(calling({"t.outer", "t.result", "t.outer"}, library.ops)), ElementsAre("V035"));
}

TEST(Calls, WhatAnOperationMayNotDo) {
  const auto refused = [](auto build) {
    // Statements of a program, moved into a function: only the program builder can make them.
    ir::ProgramBuilder p("p");
    const ir::BufferRef buffer{p.code().intern("buffer")};
    const Ex result = build(p, buffer);
    ir::Program program = p.finish();
    ir::Function function{.id = "t.bad",
                          .parameters = {{program.code.intern("a"), kU32}},
                          .code = std::move(program.code),
                          .body = program.entry,
                          .result = result.id()};
    const auto checked = check(function, spec::OpTable());
    return checked ? std::vector<std::string>() : codes(checked.error());
  };
  using P = ir::ProgramBuilder;
  using B = ir::BufferRef;
  EXPECT_THAT(refused([](P& p, B) { return p.u32(1); }), ElementsAre());
  EXPECT_THAT(refused([](P& p, B) { return p.var("a"); }), ElementsAre());
  EXPECT_THAT(refused([](P& p, B) { return p.let("b", p.var("a")); }), ElementsAre());
  EXPECT_THAT(refused([](P& p, B) { return p.local_id(0); }), ElementsAre("V037"));
  EXPECT_THAT(refused([](P& p, B) { return p.invocation_id(7); }), ElementsAre("V037"));
  EXPECT_THAT(refused([](P& p, B) { return p.workgroup_id(0); }), ElementsAre("V037"));
  EXPECT_THAT(refused([](P& p, B b) { return p.load(b, p.u32(0)); }), ElementsAre("V037"));
  EXPECT_THAT(refused([](P& p, B b) { return p.len(b); }), ElementsAre("V037"));
  EXPECT_THAT(refused([](P& p, B b) { return p.atomic(spec::Op::AtomicAdd, b, p.u32(0), p.u32(1)); }),
              ElementsAre("V037"));
  EXPECT_THAT(refused([](P& p, B b) { return p.reduce(spec::Op::FReduceStrict, spec::Op::FAdd, b); }),
              ElementsAre("V037"));
  EXPECT_THAT(refused([](P& p, B b) { return p.store(b, p.u32(0), p.u32(1)), p.u32(1); }),
              ElementsAre("V037"));
  EXPECT_THAT(refused([](P& p, B) { return p.return_(), p.u32(1); }), ElementsAre("V037"));
  EXPECT_THAT(refused([](P& p, B) { return p.barrier(), p.u32(1); }), ElementsAre("V037"));
  EXPECT_THAT(refused([](P& p, B) { return p.assign(p.var("a"), p.u32(2)), p.u32(1); }), ElementsAre("V011"));
  EXPECT_THAT(refused([](P& p, B) { return p.let("a", p.u32(2)); }), ElementsAre("V001"));
  EXPECT_THAT(refused([](P& p, B) { return p.block([&] { p.let("inner", p.u32(2)); }), p.var("inner"); }),
              ElementsAre("V003"));
  EXPECT_THAT(refused([](P& p, B) { return p.literal(DataType::Bytes, 0); }), ElementsAre("V025"));
  EXPECT_THAT(refused([](P& p, B) { return p.u64(0); }), ElementsAre("V035"));
  EXPECT_THAT(refused([](P& p, B) { return p.cast(kU32, p.u64(0)); }), ElementsAre());
}

TEST(Calls, VersionsAreSeparate) {
  Library library;
  library.add("t.f", {});
  FunctionBuilder f("t.f");
  const Ex x = f.parameter("x", DataType::I32);
  const ir::Function second = f.finish(f.call("t.f", {f.bitcast(kU32, x)}), kU32);
  library.ops.add({"t.f", 2, {{DataType::I32}, kU32}, spec::Category::A, &second});
  ir::ProgramBuilder p("p");
  const auto out = p.read_write("out", kU32, 0);
  p.store(out, p.u32(0), p.call("t.f", {p.i32(1)}, 2));
  p.store(out, p.u32(0), p.call("t.f", {p.u32(1)}, 1));
  EXPECT_TRUE(check(p.finish(), library.ops).has_value());
  ir::ProgramBuilder q("q");
  q.let("x", q.call("t.f", {q.u32(1)}, 3));
  const auto unknown = check(q.finish(), library.ops);
  ASSERT_FALSE(unknown.has_value());
  EXPECT_THAT(codes(unknown.error()), ElementsAre("V017"));
  EXPECT_EQ(unknown.error()[0].help, "it has version 1, 2");
}

// A program of one store of one call is 4 and what the call amounts to.
TEST(Calls, InlinedSizeIsLimited) {
  // `t.f1` is a + 1: 3 expressions, no statement; `t.f<k>` is a sum of four calls of `t.f<k - 1>`
  // over that: 3 + 4 * (an addition, a call, its argument) = 15 and 4 times the body below.
  const auto tower = [](int height) {
    Library library;
    library.add("t.f1", {});
    for (int i = 2; i <= height; ++i)
      library.add("t.f" + std::to_string(i), std::vector<std::string>(4, "t.f" + std::to_string(i - 1)));
    return library;
  };
  // Sizes of t.f1, t.f2, ...: 3, 27, 123, ..., t.f8 131,067, t.f11 8,388,603, t.f12 33,554,427.
  const Library library = tower(32);
  EXPECT_THAT(codes(calling({"t.f11"}, library.ops)), ElementsAre());
  EXPECT_THAT(codes(calling({"t.f12"}, library.ops)), ElementsAre("V040"));
  const Diagnostics large = calling({"t.f1", "t.f12", "t.f11"}, library.ops);
  ASSERT_THAT(codes(large), ElementsAre("V040"));
  EXPECT_THAT(large[0].message, HasSubstr("`t.f12@1`"));
  EXPECT_THAT(codes(calling({"t.f32"}, library.ops)), ElementsAre("V040"));  // 4^31 bodies; no number wraps
  // Each of many calls of one operation counts: 128 * (131,067 + 4) = 16,777,088.
  EXPECT_THAT(codes(calling(std::vector<std::string>(128, "t.f8"), library.ops)), ElementsAre());
  EXPECT_THAT(codes(calling(std::vector<std::string>(129, "t.f8"), library.ops)), ElementsAre("V040"));
  // An operation by itself.
  EXPECT_TRUE(check(*library.ops.find("t.f11", 1)->body, library.ops).has_value());
  const auto tall = check(*library.ops.find("t.f12", 1)->body, library.ops);
  ASSERT_FALSE(tall.has_value());
  EXPECT_THAT(codes(tall.error()), ElementsAre("V040"));
}

TEST(Calls, IntrinsicsAreRecorded) {
  Library library;
  spec::add_intrinsics(library.ops);
  library.add("t.f", {});
  ir::ProgramBuilder p("p");
  const auto out = p.read_write("out", kU32, 0);
  p.workgroup_size(32, 1, 1);
  p.store(out, p.call("subgroup.lane", {}),
          p.call("subgroup.shuffle", {p.u32(1), p.call("t.f", {p.u32(2)})}));
  p.let("b", p.call("subgroup.ballot", {p.u32(1)}).w() + p.call("subgroup.lane", {}));
  const auto checked = check(p.finish(), library.ops);
  ASSERT_TRUE(checked.has_value());
  std::vector<spec::Intrinsic> found;
  for (const auto& use : checked->intrinsics()) found.push_back(use.intrinsic);
  using enum spec::Intrinsic;
  EXPECT_THAT(found, ElementsAre(SubgroupLane, SubgroupShuffle, SubgroupBallot));
}

TEST(Calls, IntrinsicsAreNotAllowedInOperations) {
  // The common rule that an operation's body may be inlined anywhere, and subgroup operations may not stand
  // anywhere.
  Library library;
  spec::add_intrinsics(library.ops);
  library.add("t.size", {});
  FunctionBuilder f("t.sum");
  const Ex a = f.parameter("a", kU32);
  library.add(f.finish(f.call("subgroup.reduce_add", {a}), kU32), {{kU32}, kU32});
  library.add("t.outer", {"t.sum"});
  EXPECT_THAT(codes(calling({"t.sum"}, library.ops)), ElementsAre("V037"));
  EXPECT_THAT(codes(calling({"t.outer"}, library.ops)), ElementsAre("V037"));
  const auto alone = check(*library.ops.find("t.sum", 1)->body, library.ops);
  ASSERT_FALSE(alone.has_value());
  EXPECT_THAT(codes(alone.error()), ElementsAre("V037"));
}

}  // namespace
}  // namespace vyre::check
