// Packing has one form and gives back what went in; Merkle roots are those of RFC 6962.
#include "certify/packing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/random.h"
#include "certify/merkle.h"
#include "oracle.h"

VYRE_ORACLE(SpecificationTable, "certify/packing.h: its example and what it says, by hand");

namespace vyre::certify {
namespace {

using nlohmann::json;
using testing::HasSubstr;

constexpr size_t kMost = 100'000;

TEST(Packing, IsWhatTheHeaderSays) {
  const json value = json::parse(R"([{"cases":7,"law":"Commutative"},{"cases":9,"law":"Commutative"}])");
  const json packed =
      json::parse(R"({"keys":[["cases","law"]],"root":[0,[1,7,-1],[1,9,-1]],"shared":["Commutative"]})");
  EXPECT_EQ(pack(value), packed);
  EXPECT_EQ(unpack(packed, kMost), value);
}

TEST(Packing, SharesWhatHasSeveralParents) {
  // [1,2,"three"] is met twice, "three" once, since the second list is not entered.
  const json value = json::parse(R"([[1,2,"three"],[1,2,"three"],"short","short","s","s"])");
  const json packed =
      json::parse(R"({"keys":[],"root":[0,-1,-1,-2,-2,"s","s"],"shared":[[0,1,2,"three"],"short"]})");
  EXPECT_EQ(pack(value), packed);
  EXPECT_EQ(unpack(packed, kMost), value);
}

json random_value(RandomStream& random, int depth) {
  switch (depth == 0 ? 3 : random.below(depth > 4 ? 3 : 5)) {
    case 0: return random.below(3);
    case 1: return std::string(4 + random.below(3), char('a' + random.below(2)));
    case 2: return random.below(2) == 0;
    case 3: {
      json list = json::array();
      for (uint32_t k = 2 + random.below(5); k > 0; --k) list.push_back(random_value(random, depth + 1));
      return list;
    }
    case 4: break;
  }
  json object = json::object();
  for (uint32_t k = 1 + random.below(4); k > 0; --k)
    object[std::string(1, char('a' + random.below(4)))] = random_value(random, depth + 1);
  return object;
}

TEST(Packing, GivesBackWhatWentIn) {
  VYRE_ORACLE(Property, "pack, whose inverse unpack is");
  size_t shared = 0;
  for (uint64_t k = 0; k < 2'000; ++k) {
    RandomStream random(1, k);
    const json value = random_value(random, 0);
    const json packed = pack(value);
    shared += packed["shared"].size();
    ASSERT_EQ(unpack(packed, kMost), value) << packed;
  }
  EXPECT_GT(shared, 500u) << "the values have too little that is shared";
}

TEST(Packing, RefusesWhatIsNotPacked) {
  for (const char* text :
       {"7", "[]", R"({"keys":[],"root":[0]})", R"({"keys":7,"root":[0],"shared":[]})",
        R"({"keys":[],"root":[],"shared":[]})", R"({"keys":[],"root":["a"],"shared":[]})",
        R"({"keys":[],"root":[1,2],"shared":[]})", R"({"keys":[["a"]],"root":[1],"shared":[]})",
        R"({"keys":[[7]],"root":[1,2],"shared":[]})", R"({"keys":[7],"root":[1,2],"shared":[]})",
        R"({"keys":[],"root":-1,"shared":[]})", R"({"keys":[],"root":{},"shared":[]})",
        R"({"keys":[],"root":-9223372036854775808,"shared":[]})"}) {
    EXPECT_FALSE(unpack(json::parse(text), kMost).has_value()) << text;
  }
}

TEST(Packing, EndsWhereAShareIsAPartOfItself) {
  const auto loop = unpack(json::parse(R"({"keys":[],"root":-1,"shared":[[0,-1]]})"), kMost);
  ASSERT_FALSE(loop.has_value());
  EXPECT_THAT(loop.error(), HasSubstr("too deep"));
  // Thirty entries, each the next one twice: a kilobyte that stands for 2^30 numbers.
  json bomb = {{"keys", json::array()}, {"root", -1}, {"shared", json::array()}};
  for (int k = 2; k <= 31; ++k) bomb["shared"].push_back(json::array({0, -k, -k}));
  bomb["shared"].push_back(7);
  EXPECT_FALSE(unpack(bomb, kMost).has_value());
}

TEST(Merkle, HasTheRootsOfCertificateTransparency) {
  VYRE_ORACLE(ExternalCorpus,
              "RFC 6962's trees over the eight leaves that certificate-transparency-go tests with");
  using namespace std::string_literals;
  const std::vector<std::string> leaves = {
      ""s,
      "\x00"s,
      "\x10"s,
      "\x20\x21"s,
      "\x30\x31"s,
      "\x40\x41\x42\x43"s,
      "\x50\x51\x52\x53\x54\x55\x56\x57"s,
      "\x60\x61\x62\x63\x64\x65\x66\x67\x68\x69\x6a\x6b\x6c\x6d\x6e\x6f"s};
  const char* roots[] = {"6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
                         "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
                         "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
                         "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
                         "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
                         "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
                         "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
                         "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328"};
  std::vector<Digest> hashes;
  EXPECT_EQ(merkle_root(hashes).hex(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  for (size_t k = 0; k < leaves.size(); ++k) {
    hashes.push_back(merkle_leaf(leaves[k]));
    EXPECT_EQ(merkle_root(hashes).hex(), roots[k]) << k + 1 << " leaves";
  }
}

}  // namespace
}  // namespace vyre::certify
