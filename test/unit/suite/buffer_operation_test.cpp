// Operations over buffers as subjects: a right backend is certified, and a wrong one is refused with a case
// that replays and is small.
#include <gtest/gtest.h>

#include <algorithm>

#include "backend/registry/registry.h"
#include "certify/certificate.h"
#include "oracle.h"
#include "suite/replay.h"
#include "suite/suite.h"

VYRE_ORACLE(Property, "what is wrong with each backend is said where it is planted");

namespace vyre::suite {
namespace {

using backend::DeviceRange;

/// Native, and something goes wrong after each dispatch.
class Wrong final : public backend::Backend {
 public:
  using Harm = std::function<void(std::span<const DeviceRange>)>;
  explicit Wrong(Harm harm) : native_(backend::open("native").value()), harm_(std::move(harm)) {}

  backend::Identity identity() const override { return {"wrong", "none", "none", "0"}; }
  backend::Limits limits() const override { return native_->limits(); }
  Result<std::unique_ptr<backend::Pipeline>> compile(const check::Checked& program) override {
    VYRE_TRY(right, native_->compile(program));
    return std::make_unique<Pipeline>(std::move(right), harm_);
  }

 private:
  class Pipeline final : public backend::Pipeline {
   public:
    Pipeline(std::unique_ptr<backend::Pipeline> right, const Harm& harm)
        : right_(std::move(right)), harm_(harm) {}
    Result<void> dispatch(std::span<const std::span<std::byte>> host, layout::Groups groups) override {
      return right_->dispatch(host, groups);
    }
    Result<void> dispatch_resident(std::span<const DeviceRange> ranges, layout::Groups groups) override {
      VYRE_CHECK(right_->dispatch_resident(ranges, groups));
      harm_(ranges);
      return {};
    }

   private:
    const std::unique_ptr<backend::Pipeline> right_;
    const Harm& harm_;
  };

  const std::unique_ptr<backend::Backend> native_;
  const Harm harm_;
};

certify::Certificate certified(backend::Backend& backend, std::string_view selection) {
  Plan plan;
  plan.strength = verify::Strength::Quick;
  plan.selection = selection;
  plan.family_selection = "none";
  auto run = suite::run(backend, plan, {}, nullptr);
  EXPECT_TRUE(run) << run.error().message;
  return std::move(run->certificate);
}

TEST(BufferOperations, OfARightBackendAreCertified) {
  const auto native = backend::open("native").value();
  const certify::Certificate c = certified(*native, "encode.hex");
  EXPECT_TRUE(c.passed()) << c.level_line();
  EXPECT_TRUE(expect_complete(c));
  const auto again = certify::parse(certify::print(c));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->verdicts, c.verdicts);
  const verify::Verdict& v = c.verdicts.at(0);
  EXPECT_EQ(v.kind, verify::SubjectKind::BufferOperation);
  EXPECT_FALSE(v.laws.empty());
  EXPECT_FALSE(v.classes.empty());
  EXPECT_EQ(v.boundaries, v.boundaries_hit);
}

TEST(BufferOperations, NothingIsLeftOut) {
  const auto native = backend::open("native").value();
  const certify::Certificate c = certified(*native, "encode.hex");
  const auto refused = [&](auto change) {
    certify::Certificate other = c;
    change(other.verdicts.at(0));
    return !expect_complete(other);
  };
  EXPECT_TRUE(refused([](verify::Verdict& v) { v.laws.pop_back(); }));
  EXPECT_TRUE(refused([](verify::Verdict& v) { v.classes.pop_back(); }));
  EXPECT_TRUE(refused([](verify::Verdict& v) { --v.boundaries; }));
  EXPECT_TRUE(refused([](verify::Verdict& v) { --v.determinism.planned; }));
  EXPECT_TRUE(refused([](verify::Verdict& v) { --v.parity.at(0).tally.planned; }));
  EXPECT_TRUE(refused([](verify::Verdict& v) { v.kind = verify::SubjectKind::Operation; }));
}

TEST(BufferOperations, AWrongByteIsFoundAndReplays) {
  // The last bit of what the last buffer begins with, where it has something.
  Wrong wrong([](std::span<const DeviceRange> ranges) {
    const DeviceRange& last = ranges.back();
    if (last.bytes != 0) last.buffer->host()[last.offset] ^= std::byte{1};
  });
  const certify::Certificate c = certified(wrong, "hash.crc32");
  EXPECT_EQ(c.level(), certify::Level::None);
  const verify::Verdict& v = c.verdicts.at(0);
  ASSERT_FALSE(v.failures.empty());
  EXPECT_TRUE(std::ranges::any_of(v.failures,
                                  [](const verify::Failure& f) { return f.check == verify::Check::Law; }));
  for (const verify::Failure& failure : v.failures) {
    if (failure.fault != verify::Fault::WrongValue) continue;
    const auto again = replay(failure.token, wrong);
    ASSERT_TRUE(again) << failure.token << ": " << again.error().message;
    EXPECT_TRUE(again->fails) << failure.token;
    if (failure.minimality == verify::Minimality::Shrunk)
      EXPECT_NE(failure.token.find(":size-"), std::string::npos) << failure.token;
  }
  const auto native = backend::open("native").value();
  const auto right = replay(v.failures.front().token, *native);
  ASSERT_TRUE(right) << right.error().message;
  EXPECT_FALSE(right->fails) << right->report;
}

TEST(BufferOperations, AWriteBesideABufferIsFound) {
  Wrong wrong([](std::span<const DeviceRange> ranges) {
    const DeviceRange& last = ranges.back();
    last.buffer->host()[last.offset + last.bytes] ^= std::byte{1};
  });
  const certify::Certificate c = certified(wrong, "collection.reverse");
  EXPECT_EQ(c.level(), certify::Level::None);
  const verify::Verdict& v = c.verdicts.at(0);
  EXPECT_NE(v.canaries_broken, 0u);
  ASSERT_FALSE(v.failures.empty());
  EXPECT_EQ(v.failures.front().fault, verify::Fault::WroteOutside);
}

TEST(BufferOperations, WhatIsWrongNowAndThenIsNoOnesCase) {
  uint32_t dispatches = 0;
  Wrong wrong([&](std::span<const DeviceRange> ranges) {
    if (++dispatches % 97 == 0 && ranges.back().bytes != 0)
      ranges.back().buffer->host()[ranges.back().offset] ^= std::byte{1};
  });
  const certify::Certificate c = certified(wrong, "collection.reverse");
  EXPECT_EQ(c.level(), certify::Level::None);
  const auto& failures = c.verdicts.at(0).failures;
  ASSERT_FALSE(failures.empty());
  EXPECT_TRUE(std::ranges::none_of(
      failures, [](const verify::Failure& f) { return f.fault == verify::Fault::WrongValue; }));
}

TEST(BufferOperations, TokensOfWhatThereIsNotAreRefused) {
  const auto native = backend::open("native").value();
  for (const char* token :
       {"hash.crc32@1:rows:1:1000", "hash.crc32@1:boundary:1:29", "hash.crc32@1:law-99:1:0",
        "hash.crc32@1:random:1:0", "hash.crc33@1:cases:1:0", "hash.crc32@2:cases:1:0"})
    EXPECT_FALSE(replay(token, *native)) << token;
}

}  // namespace
}  // namespace vyre::suite
