#include "verify/stream.h"

#include "verify/deviation.h"

#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>

namespace vyre::verify {
namespace {

/// Where each slice begins, range after range. The slices themselves are used again and again: as many as are
/// under way, in turn, since the one that is judged first was begun first.
class Stream {
 public:
  Stream(const Subject& subject, std::span<const CaseRange> ranges, uint64_t seed, const Monitor& monitor,
         size_t under_way)
      : subject_(subject),
        ranges_(ranges),
        seed_(seed),
        monitor_(monitor),
        most_(slice_of(subject)),
        slots_(std::min<uint64_t>(under_way, slices())) {
    for (const CaseRange& range : ranges) sources_.emplace_back(subject, range, seed);
  }
  size_t under_way() const { return std::max<size_t>(slots_.size(), 1); }

  /// The next slice, still empty; null: none, or it was stopped.
  CaseSlice* next() {
    while (at_ < ranges_.size() && begin_ >= ranges_[at_].count) {
      ++at_;
      begin_ = 0;
    }
    if (at_ == ranges_.size() || ended_ || monitor_.stopped()) return nullptr;
    auto& slot = slots_[turn_++ % slots_.size()];
    if (!slot) {
      slot = std::make_unique<CaseSlice>(input_words(subject_.application),
                                         output_words(subject_.application), most_);
    }
    slot->range = &ranges_[at_];
    slot->begin = begin_;
    slot->count = size_t(std::min<uint64_t>(most_, ranges_[at_].count - begin_));
    slot->judged = false;
    begin_ += slot->count;
    return slot.get();
  }

  /// Thread: any number at once, each with a slice of its own.
  CaseSlice* make(CaseSlice* slice) const {
    const CaseSource& source = sources_[size_t(slice->range - ranges_.data())];
    const size_t words = slice->count * output_words(subject_.application);
    const std::span expected(slice->buffer.data(), words);
    source.fill(slice->begin, slice->count, slice->columns.writable());
    slice->number = source.number(slice->begin);
    subject_.expected(slice->columns.readable(), expected);
    slice->expected = expected;
    slice->answers = std::span(slice->room).first(words);
    slice->poison = poison_of(subject_, expected, seed_, slice->begin);
    count_classes(*slice);
    return slice;
  }

  void end() { ended_ = true; }

 private:
  uint64_t slices() const {
    uint64_t sum = 0;
    for (const CaseRange& range : ranges_) sum += (range.count + most_ - 1) / most_;
    return sum;
  }

  /// Which classes were hit is a statement about inputs; the table strategies and the first slice of each
  /// other one suffice for it.
  void count_classes(CaseSlice& slice) const {
    slice.class_hits.clear();
    if (slice.begin != 0 || slice.range->first != 0) return;
    slice.class_hits.resize(subject_.classes.size());
    std::vector<uint32_t> operands(slice.columns.readable().size());
    for (size_t i = 0; i < slice.count; ++i) {
      for (size_t k = 0; k < operands.size(); ++k) operands[k] = slice.columns.readable()[k][i];
      for (size_t c = 0; c < subject_.classes.size(); ++c)
        slice.class_hits[c] += subject_.classes[c].contains(operands.data());
    }
  }

  const Subject& subject_;
  const std::span<const CaseRange> ranges_;
  const uint64_t seed_;
  const Monitor& monitor_;
  const size_t most_;  // cases of a slice
  std::vector<CaseSource> sources_;
  std::vector<std::unique_ptr<CaseSlice>> slots_;
  size_t at_ = 0;  // range
  uint64_t begin_ = 0, turn_ = 0;
  std::atomic<bool> ended_ = false;
};

}  // namespace

Result<void> stream_cases(const Subject& subject, std::span<const CaseRange> ranges, uint64_t seed,
                          const Monitor& monitor, const SliceUse& use) {
  using tbb::filter_mode, tbb::make_filter;
  Stream stream(subject, ranges, seed, monitor,
                slices_ahead(size_t(tbb::this_task_arena::max_concurrency())));
  std::optional<Diag> refused;  // of the judge alone
  const auto begun =
      make_filter<void, CaseSlice*>(filter_mode::serial_in_order, [&](tbb::flow_control& control) {
        CaseSlice* const slice = stream.next();
        if (slice == nullptr) control.stop();
        return slice;
      });
  const auto made = make_filter<CaseSlice*, CaseSlice*>(filter_mode::parallel,
                                                        [&](CaseSlice* slice) { return stream.make(slice); });
  const auto judged =
      make_filter<CaseSlice*, CaseSlice*>(filter_mode::serial_in_order, [&](CaseSlice* slice) {
        if (refused || monitor.stopped()) return slice;
        const auto done = use.judge(*slice);
        slice->judged = done.has_value();
        if (!done) {
          refused = done.error();
          stream.end();
        }
        return slice;
      });
  const auto recorded = make_filter<CaseSlice*, void>(filter_mode::serial_in_order, [&](CaseSlice* slice) {
    if (slice->judged && use.record) use.record(*slice);
  });
  tbb::parallel_pipeline(stream.under_way(), begun & made & judged & recorded);
  if (refused) return std::unexpected(std::move(*refused));
  return {};
}

}  // namespace vyre::verify
