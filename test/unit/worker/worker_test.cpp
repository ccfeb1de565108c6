#include "worker/worker.h"

#include "support.h"

namespace vyre::worker {
namespace {

// Oracle: worker.h: calls travel there, and what comes back is what the backend says.
TEST(Worker, AnswersAsItsBackendDoes) {
  const auto worker = open_worker(options_for("reference"));
  const auto plain = backend::open("reference");
  ASSERT_TRUE(plain);
  EXPECT_EQ(worker->identity().name, (*plain)->identity().name);
  EXPECT_EQ(worker->identity().device, (*plain)->identity().device);
  EXPECT_EQ(worker->identity().driver, (*plain)->identity().driver);
  EXPECT_EQ(worker->identity().version, (*plain)->identity().version);
  EXPECT_EQ(worker->limits().max_buffer_bytes, (*plain)->limits().max_buffer_bytes);
  EXPECT_EQ(worker->limits().max_workgroup_bytes, (*plain)->limits().max_workgroup_bytes);
  EXPECT_EQ(worker->convention(), (*plain)->convention());
  EXPECT_TRUE(worker->isolated());
  EXPECT_FALSE((*plain)->isolated());
}

TEST(Worker, Dispatches) {
  const auto worker = open_worker(options_for("reference"));
  const auto pipeline = worker->compile(doubling());
  ASSERT_TRUE(pipeline) << pipeline.error().message;
  for (const size_t n : {1u, 100u, 3u, 64u, 100'000u, 2u}) expect_right(**pipeline, 7, n);
}

}  // namespace
}  // namespace vyre::worker
