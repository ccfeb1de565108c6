// I7: a data race is found, and where there is none the order of invocations does not show.
//
// A dispatch is run in several orders, in which a detector looks for two accesses of one place that nothing
// orders, and the bytes that the orders leave are compared. Half of the programs have a race, planted on a
// buffer of its own; the others have none by construction. The buffers in which something is found must be
// exactly that one, or none.
// Source: vyre-conform-spec, "Data-Race Detection"; execution-model, "Data Races".
#include <set>

#include "oracle.h"
#include "property/programs.h"
#include "ref/schedules.h"

VYRE_ORACLE(Property, "vyre-conform-spec, \"Data-Race Detection\"; the race that the generator planted");

namespace vyre::test {
namespace {

using Places = std::set<uint32_t>;  // buffers

Places places_planted(const generate::ProgramCase& c) { return c.race ? Places{c.race->buffer} : Places{}; }
/// The buffers in which three orders show a race, or where there is none different bytes.
Places places_found(const generate::ProgramCase& c) {
  const check::Checked program = checked(c.program);
  Places places;
  std::vector<Bytes> first;
  for (const ref::Schedule& schedule :
       {ref::Schedule{}, {ref::Schedule::Kind::Reversed}, {ref::Schedule::Kind::Random, 1}}) {
    std::vector<Bytes> buffers = c.buffers;
    const std::vector<std::span<std::byte>> host(buffers.begin(), buffers.end());
    ref::RaceDetector detector;
    value_of(ref::run_scheduled(program, host, c.groups, {}, schedule, &detector));
    for (const ref::Race& race : detector.races()) places.insert(check::index(race.buffer));
    if (first.empty()) first = buffers;
    for (size_t b = 0; b < buffers.size() && places.empty(); ++b)
      if (buffers[b] != first[b]) places.insert(check::index(program.bound_buffers()[b]));
  }
  return places;
}

TEST(Property, I07DataRaces) {
  for_each_case(4'000, [](const PropertyCase& c) {
    generate::ProgramOptions options = generate::ProgramOptions::small(&ops::op_table());
    options.additions = true;
    options.racy = c.number % 2 == 1;
    const generate::ProgramCase program = generate::random_program(c.seed, c.number, options);
    EXPECT_EQ(places_found(program), places_planted(program));
  });
}

}  // namespace
}  // namespace vyre::test
