// Scattered sums: to each element of a tensor what indices send to it, in the order of the updates.
//
// Each element folds its own updates, so nothing is added at once by two. Of few indices it looks at all; of
// more, these are sorted, stably, so that the updates of a destination follow each other in their order.
#include <bit>

#include "tensor/kernels.h"
#include "tensor/sort.h"

namespace vyre::tensor {
namespace {

class Scatterer {
 public:
  Scatterer(Assembly& assembly, const KernelWork& work)
      : assembly_(assembly),
        work_(work),
        lines_(work.node.shape, work.node.axis),
        indices_(work.operands[1]->shape),
        many_(check::elements(indices_)) {}

  void write() {
    if (many_ <= kFew) {
      return for_each_destination([&](Body& body, const Coordinates& at, ir::Ex sum) {
        body.program().loop(body.fresh("i"), body.u32(0), body.u32(many_), [&](ir::Ex i) {
          const Coordinates from = coordinates(body, indices_, i);
          body.program().if_(work_.elements[1](body, from) == at[lines_.axis],
                             [&] { add(body, at, from, sum); });
        });
      });
    }
    const Shape flat = {many_};
    const SortedLines sorted = sort_lines(
        assembly_, Lines(flat, 0), spec::DataType::U32, false, many_, [&](Body& body, const Coordinates& at) {
          return work_.elements[1](body, coordinates(body, indices_, at[0]));
        });
    const Array starts = first_of_each(sorted.keys);
    for_each_destination([&](Body& body, const Coordinates& at, ir::Ex sum) {
      const ir::Ex from = body.let(body.load(starts, at[lines_.axis]));
      const ir::Ex to = body.let(body.load(starts, at[lines_.axis] + 1));
      body.program().loop(body.fresh("i"), from, to, [&](ir::Ex i) {
        add(body, at, coordinates(body, indices_, body.let(body.load(sorted.places, i))), sum);
      });
    });
  }

 private:
  using Shape = std::vector<uint32_t>;

  void for_each_destination(const std::function<void(Body&, const Coordinates&, ir::Ex sum)>& fold_updates) {
    for_each_line(assembly_, "scatter_add", lines_, lines_.size,
                  [&](Body& body, const Coordinates& first, ir::Ex destination) {
                    const Coordinates at = lines_.at(first, destination);
                    const ir::Ex sum = body.let(work_.elements[0](body, at));
                    fold_updates(body, at, sum);
                    work_.sink(body, at, sum);
                  });
  }

  void add(Body& body, const Coordinates& at, const Coordinates& from, ir::Ex sum) {
    const bool floats = spec::info(work_.node.type).klass == spec::TypeClass::Float;
    Coordinates update(at.begin(), at.begin() + lines_.axis);
    update.insert(update.end(), from.begin(), from.end());
    update.insert(update.end(), at.begin() + lines_.axis + 1, at.end());
    body.program().assign(sum, body.program().apply(floats ? spec::Op::FAdd : spec::Op::Add,
                                                    {sum, work_.elements[2](body, update)}));
  }

  /// Where the keys from each destination on begin, and behind the last one where those beyond all of them
  /// do.
  Array first_of_each(Array keys) {
    const Array starts = assembly_.scratch(spec::DataType::U32, lines_.size + 1);
    assembly_.for_each("scatter_starts", lines_.size + 1, [&](Body& body, ir::Ex destination) {
      ir::ProgramBuilder& p = body.program();
      const ir::Ex low = body.let(body.u32(0)), high = body.let(body.u32(many_));
      p.loop(body.fresh("i"), body.u32(0), body.u32(uint32_t(std::bit_width(many_))), [&](ir::Ex) {
        const ir::Ex middle = body.let(low + ((high - low) >> 1));
        const ir::Ex below = body.let((low < high) & (body.load(keys, middle) < destination));
        p.assign(high, p.select(below, high, middle));
        p.assign(low, p.select(below, middle + 1, low));
      });
      body.store(starts, destination, low);
    });
    return starts;
  }

  static constexpr uint32_t kFew = 32;

  Assembly& assembly_;
  const KernelWork& work_;
  Lines lines_;
  const std::vector<uint32_t>& indices_;
  uint32_t many_;
};

}  // namespace

void write_scatter_add(Assembly& assembly, const KernelWork& work) { Scatterer(assembly, work).write(); }

}  // namespace vyre::tensor
