// Sizes of axes as polynomials over dimensions: which are known to be equal, and what they are in numbers.
#include "check/extent.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/random.h"
#include "oracle.h"

VYRE_ORACLE(
    SpecificationTable,
    "graphs, \"Sizes\": integers that neither wrap nor saturate, quotients rounded down or up, by 0 they "
    "are 0; identities of arithmetic by hand");

namespace vyre::check::extents {
namespace {

const Extent n = Extent::named("n"), m = Extent::named("m");

Extent operator+(const Extent& a, const Extent& b) { return *Extent::sum(a, b); }
Extent operator-(const Extent& a, const Extent& b) { return *Extent::difference(a, b); }
Extent operator*(const Extent& a, const Extent& b) { return *Extent::product(a, b); }
Extent operator/(const Extent& a, const Extent& b) { return *Extent::quotient(a, b, false); }
Extent ceil_div(const Extent& a, const Extent& b) { return *Extent::quotient(a, b, true); }

TEST(Extent, IsEqualWhereAPolynomialIs) {
  EXPECT_EQ((n + 1) * 2, 2 * n + 2);
  EXPECT_EQ(n * m, m * n);
  EXPECT_EQ((n + m) * (n - m), n * n - m * m);
  EXPECT_EQ(n - n, Extent(0));
  EXPECT_EQ(n + m - n, m);
  EXPECT_EQ(Extent::named("n"), n);
  EXPECT_FALSE(n == m);
  EXPECT_FALSE(n == 1);
  EXPECT_FALSE(n + 1 == n + 2);
  EXPECT_FALSE(2 * n == n);
}

TEST(Extent, QuotientsAreTakenApart) {
  EXPECT_EQ((4 * n + 3) / 4, n);
  EXPECT_EQ(ceil_div(n, 2), (n + 1) / 2);
  EXPECT_EQ((n - 1) / 2 + 1, (n + 1) / 2);
  EXPECT_EQ(n / 2 / 3, n / 6);
  EXPECT_EQ((n / 2 + 1) / 2, (n + 2) / 4);
  EXPECT_EQ(n / 0, Extent(0));
  EXPECT_EQ(ceil_div(n, 0), Extent(0));
  EXPECT_EQ(0 / n, Extent(0));
  EXPECT_FALSE(n * m / m == n);  // where m is 0 it is 0
  EXPECT_FALSE(n / 2 == n / 3);
  EXPECT_FALSE(n / m == ceil_div(n, m));
  EXPECT_TRUE((n / 2).has_quotient());
  EXPECT_FALSE((n * 2).has_quotient());
}

TEST(Extent, Text) {
  EXPECT_EQ(Extent(7).text(), "7");
  EXPECT_EQ((2 + 2 * n).text(), "2 * n + 2");
  EXPECT_EQ((n - 1).text(), "n - 1");
  EXPECT_EQ((1 - n).text(), "1 - n");
  EXPECT_EQ((0 - n).text(), "-n");
  EXPECT_EQ((n * m).text(), "m * n");
  EXPECT_EQ((n / 2).text(), "n / 2");
  EXPECT_EQ(((n + 1) / 2 * 3).text(), "3 * ((n + 1) / 2)");
  EXPECT_EQ(ceil_div(n, m).text(), "ceil_div(n, m)");
  EXPECT_EQ(n.name(), "n");
  EXPECT_EQ((n + 1).name(), std::nullopt);
  EXPECT_EQ((n / 2).name(), std::nullopt);
}

TEST(Extent, HasItsValueAtEverySize) {
  VYRE_ORACLE(Property, "an Extent made by sums, products and quotients has the value of those of its parts");
  RandomStream random(17, 0);
  const auto below = [&](uint32_t bound) { return random.below(bound); };
  size_t quotients = 0;
  for (int round = 0; round < 2000; ++round) {
    const std::map<std::string, uint32_t, std::less<>> sizes = {{"n", below(20)}, {"m", below(20)}};
    struct Known {
      Extent extent;
      int64_t value;
    };
    std::vector<Known> known = {{n, sizes.at("n")}, {m, sizes.at("m")}};
    for (int step = 0; step < 6; ++step) {
      known.push_back({Extent(int64_t(below(7))), 0});
      known.back().value = *known.back().extent.number();
      const Known a = known[below(uint32_t(known.size()))], b = known[below(uint32_t(known.size()))];
      const auto exact = [&](bool up) {
        if (b.value == 0) return int64_t(0);
        const double real = double(a.value) / double(b.value);  // exact enough: all is below 2^24
        return int64_t(up ? std::ceil(real) : std::floor(real));
      };
      switch (below(5)) {
        case 0: known.push_back({a.extent + b.extent, a.value + b.value}); break;
        case 1: known.push_back({a.extent - b.extent, a.value - b.value}); break;
        case 2:
          if (std::abs(a.value) < 100 && std::abs(b.value) < 100)
            known.push_back({a.extent * b.extent, a.value * b.value});
          break;
        case 3: known.push_back({a.extent / b.extent, exact(false)}); break;
        case 4: known.push_back({ceil_div(a.extent, b.extent), exact(true)}); break;
      }
      ASSERT_EQ(known.back().extent.at(sizes), known.back().value) << known.back().extent.text();
      quotients += known.back().extent.has_quotient();
    }
  }
  EXPECT_GT(quotients, 500u);
}

TEST(Extent, OverOtherDimensions) {
  const Extent size = (n + m) / 2 * n;
  EXPECT_EQ(size.with([](std::string_view name) { return name == "n" ? m : Extent(4); }), (m + 4) / 2 * m);
  EXPECT_EQ(size.with([](std::string_view name) { return name == "n" ? Extent(2) : Extent(4); }), Extent(6));
  EXPECT_EQ(size.at({{"n", 3}}), std::nullopt);
}

TEST(Extent, WhatDoesNotFitIsNone) {
  EXPECT_EQ(Extent::sum(INT64_MAX, 1), std::nullopt);
  EXPECT_EQ(Extent::product(INT64_MAX, n)->text(), "9223372036854775807 * n");
  EXPECT_EQ(Extent::product(Extent(INT64_MAX) * n, 2), std::nullopt);
  EXPECT_EQ(Extent::quotient(INT64_MIN, -1, false), std::nullopt);
  EXPECT_EQ((Extent(int64_t(1) << 40) * n * n).at({{"n", 1 << 20}}), std::nullopt);
  // Powers of a sum have ever more terms, and quotients of their own squares ever longer names.
  std::optional<Extent> power = n + m + Extent::named("k") + 1;
  for (int i = 0; i < 20 && power; ++i) power = Extent::product(*power, *power);
  EXPECT_EQ(power, std::nullopt);
  std::optional<Extent> nested = n / m;
  for (int i = 0; i < 40 && nested; ++i) {
    const auto square = Extent::product(*nested, *nested);
    nested = square ? Extent::quotient(*square, m, false) : std::nullopt;
  }
  EXPECT_EQ(nested, std::nullopt);
}

}  // namespace
}  // namespace vyre::check::extents
