// Kernels beside the ones that a good engineer writes by hand for the same exact semantics, in one process.
//
//   bench_kernels [NAME...] [--quick] [--check] [--threads N] [--backend cuda --rivals LIB]
//   bench_kernels [NAME...] --backend vulkan --beside cuda
//   bench_kernels [NAME...] --growth [--most ELEMENTS] [--backend cuda]
//
// A kernel is a file bench/kernels/NAME.vyre or, of the operations over buffers, bench/library/NAME.vyre, or
// an example with such a line. Its comments say what it is run on:
//
//   // bench: N=16384 groups=[N/64] x=uniform:N:1 y=zeros:N a=1.5
//   // gpu: N=16777216
//
// Names with capitals are numbers, and constants of the file where it has such; `gpu` gives others where
// there is a GPU. `groups` are of a program; a pipeline says them itself. What remains fills the buffers
// (kernels/inputs.h). Every file has a rival in C++ of its name (kernels/*.cpp), and one in CUDA C++ (*.cu),
// which --rivals loads from a shared object: by hand, a library, or what only moves as many bytes. The folder
// is read, there is no list: a file without a rival is an error.
//
// Results are compared byte by byte first: a fast wrong answer is no answer. Then both run in turn, on a
// device a round each, so that a busy machine hurts both alike: a round is the best of many turns, a ratio
// the median of those of the rounds, and the spread goes from the least to the largest of them.
//
// --growth is about the files of bench/growth, which have no rivals: what an element takes of 10^3, 10^4 and
// so on. Each file says E=1000, which is replaced.
#include <dlfcn.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <numeric>
#include <optional>
#include <string>

#include "backend/registry/registry.h"
#include "device_bench.h"
#include "host/files.h"
#include "host/run.h"
#include "host/values.h"
#include "kernels/inputs.h"
#include "kernels/parallel.h"
#include "kernels/rivals.h"
#include "plan/pipeline.h"

namespace vyre::bench {
namespace {

unsigned thread_count = 2;
tbb::task_arena& arena() {
  static tbb::task_arena of_rivals{int(thread_count)};
  return of_rivals;
}

}  // namespace

unsigned threads() { return thread_count; }

void parallel(size_t count, size_t grain, const std::function<void(size_t, size_t)>& body) {
  if (thread_count == 1 || count <= grain) return body(0, count);
  arena().execute([&] {
    tbb::parallel_for(tbb::blocked_range<size_t>(0, (count + grain - 1) / grain),
                      [&](const tbb::blocked_range<size_t>& part) {
                        body(part.begin() * grain, std::min(count, part.end() * grain));
                      });
  });
}

namespace {

Memory host_memory() {
  return {.allocate = [](size_t bytes) { return std::aligned_alloc(256, (bytes + 256) / 256 * 256); },
          .release = [](void* at) { std::free(at); },
          .write = [](void* to, const void* from, size_t bytes) { std::memcpy(to, from, bytes); },
          .read = [](void* to, const void* from, size_t bytes) { std::memcpy(to, from, bytes); },
          .wait = [] {},
          .error = []() -> const char* { return nullptr; }};
}

/// What is wrong with a kernel or its results: a line for people.
struct Wrong {
  std::string why;
};

// What a kernel's comments say.

struct Setting {
  std::map<std::string, std::string> inputs;  // by buffer
  std::vector<std::string> groups;
  std::map<std::string, uint64_t> numbers;

  /// "4*N/64", from left to right.
  uint64_t value(const std::string& expression) const {
    uint64_t result = 0;
    char sign = '+';
    for (size_t at = 0; at <= expression.size();) {
      const size_t end = std::min(expression.find_first_of("+-*/", at), expression.size());
      const std::string word = expression.substr(at, end - at);
      const auto known = numbers.find(word);
      if (known == numbers.end() && (word.empty() || word.find_first_not_of("0123456789") != word.npos)) {
        throw Wrong{fmt::format("'{}' is not a number", word)};
      }
      const uint64_t operand = known == numbers.end() ? std::stoull(word) : known->second;
      switch (sign) {
        case '+': result += operand; break;
        case '-': result -= operand; break;
        case '*': result *= operand; break;
        default: result = operand == 0 ? 0 : result / operand;
      }
      if (end == expression.size()) break;
      sign = expression[end];
      at = end + 1;
    }
    return result;
  }
};

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> out;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, at);) out.push_back(part);
  return out;
}

void read_setting(const std::string& text, std::string_view directive, Setting& out) {
  std::stringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(directive)) continue;
    std::stringstream words(line.substr(directive.size()));
    for (std::string word; words >> word;) {
      const size_t equals = word.find('=');
      if (equals == word.npos) throw Wrong{fmt::format("'{}' is not NAME=VALUE", word)};
      const std::string name = word.substr(0, equals), value = word.substr(equals + 1);
      if (name == "groups") {
        if (!value.starts_with('[') || !value.ends_with(']')) throw Wrong{"groups are [X,Y,Z]"};
        out.groups = split(value.substr(1, value.size() - 2), ',');
      } else if (std::isupper(name[0])) {
        out.numbers[name] = out.value(value);
      } else {
        out.inputs[name] = value;
      }
    }
  }
}

Setting setting_of(const std::string& text, bool gpu) {
  Setting out;
  read_setting(text, "// bench:", out);
  if (out.inputs.empty()) throw Wrong{"no line '// bench: NAME=INPUT ...'"};
  if (gpu) read_setting(text, "// gpu:", out);
  return out;
}

Element element_of(spec::DataType type) {
  switch (type) {
    case spec::DataType::U64: return Element::Word64;
    case spec::DataType::U128: return Element::Word128;
    case spec::DataType::F32: return Element::F32;
    case spec::DataType::F16: return Element::F16;
    case spec::DataType::BF16: return Element::BF16;
    case spec::DataType::Bool: return Element::Bool;
    case spec::DataType::Vec2U32: return Element::Word64;
    case spec::DataType::Vec4U32: return Element::Word128;
    case spec::DataType::U32:
    case spec::DataType::I32:
    case spec::DataType::Bytes:
    case spec::DataType::I8:
    case spec::DataType::U8:
    case spec::DataType::FP8E4M3:
    case spec::DataType::FP8E5M2:
    case spec::DataType::FP4E2M1:
    case spec::DataType::Tensor: return Element::Word;
  }
  return Element::Word;
}

/// COUNT, SEED and the like may be expressions; the first word and what has a point is kept.
std::string evaluated(const Setting& setting, const std::string& input) {
  const std::vector<std::string> parts = split(input, ':');
  if (parts.size() == 1) {
    std::string out;
    for (const std::string& word : split(input, ',')) {
      const auto known = setting.numbers.find(word);
      out +=
          (out.empty() ? "" : ",") + (known == setting.numbers.end() ? word : std::to_string(known->second));
    }
    return out;
  }
  std::string out = parts[0];
  for (size_t i = 1; i < parts.size(); ++i) {
    const bool expression = parts[i].find('.') == parts[i].npos;
    out += ":" + (expression ? std::to_string(setting.value(parts[i])) : parts[i]);
  }
  return out;
}

// What runs.

using Contents = std::vector<std::vector<unsigned char>>;

/// What a backend gives; what it says instead is wrong with this kernel alone.
template <typename T>
T done(Result<T> result) {
  if (!result) throw Wrong{render(result.error(), nullptr)};
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

/// A kernel of ours or a rival, ready to run over memory of its own.
class Candidate {
 public:
  virtual ~Candidate() = default;
  /// So many runs, one after the other, and waits for all.
  virtual void run(uint32_t times) = 0;
  virtual Contents results() = 0;
};

class Ours : public Candidate {
 public:
  /// `in_a_row` makes of a pipeline the step that runs it so many times.
  Ours(backend::Backend& backend, const host::Step& step, const Contents& inputs,
       std::function<host::Step(uint32_t)> in_a_row)
      : backend_(backend), groups_(step.groups), in_a_row_(std::move(in_a_row)) {
    for (const auto& bytes : inputs) {
      buffers_.push_back(done(backend.allocate(std::max<size_t>(bytes.size(), 4))));
      if (!bytes.empty()) done(buffers_.back()->write(0, std::as_bytes(std::span(bytes))));
      ranges_.push_back({buffers_.back().get(), 0, bytes.size()});
      const auto host = buffers_.back()->host();
      if (!host.empty()) host_.push_back(host.first(bytes.size()));
    }
    if (step.pipeline)
      executables_.emplace(1, done(plan::Executable::make(backend, step.module, *step.pipeline)));
    else
      program_ = done(backend.compile(*step.checked));
  }

  void run(uint32_t times) override {
    if (!executables_.empty() && !host_.empty()) {
      for (uint32_t i = 0; i < times; ++i) done(executables_.at(1).run(ranges_));
    } else if (!executables_.empty()) {
      auto at = executables_.find(times);
      if (at == executables_.end()) {
        const host::Step step = in_a_row_(times);
        at = executables_.emplace(times, done(plan::Executable::make(backend_, step.module, *step.pipeline)))
                 .first;
      }
      done(at->second.run(ranges_));
    } else if (host_.size() == ranges_.size()) {
      for (uint32_t i = 0; i < times; ++i) done(program_->dispatch(host_, groups_));
    } else {
      auto& recording = recordings_[times];
      if (!recording) {
        const backend::Command dispatch = {.kind = backend::Command::Kind::Dispatch,
                                           .step = {program_.get(), ranges_, groups_}};
        recording = done(backend_.record(std::vector<backend::Command>(times, dispatch)));
      }
      done(recording->run({}, UINT64_MAX));
    }
  }

  Contents results() override {
    Contents out;
    for (const auto& range : ranges_) {
      auto& bytes = out.emplace_back(range.bytes);
      if (!bytes.empty()) done(range.buffer->read(0, std::as_writable_bytes(std::span(bytes))));
    }
    return out;
  }

 private:
  backend::Backend& backend_;
  layout::Groups groups_;
  std::vector<std::unique_ptr<backend::DeviceBuffer>> buffers_;
  std::vector<backend::DeviceRange> ranges_;
  std::vector<std::span<std::byte>> host_;  // where the host sees them all
  std::function<host::Step(uint32_t)> in_a_row_;
  std::map<uint32_t, plan::Executable> executables_;  // of a pipeline, by how often it is run
  std::unique_ptr<backend::Pipeline> program_;
  std::map<uint32_t, std::unique_ptr<backend::Recording>> recordings_;
};

class RivalRun : public Candidate {
 public:
  RivalRun(const Memory& memory, const Rival& rival, const Contents& inputs)
      : memory_(memory), rival_(rival) {
    for (const auto& bytes : inputs) {
      data_.push_back(memory.allocate(std::max<size_t>(bytes.size(), 4)));
      if (data_.back() == nullptr) throw Wrong{"the rival has no memory"};
      bytes_.push_back(bytes.size());
      memory.write(data_.back(), bytes.data(), bytes.size());
    }
  }
  RivalRun(const RivalRun&) = delete;
  RivalRun& operator=(const RivalRun&) = delete;
  ~RivalRun() override {
    for (void* at : data_) memory_.release(at);
  }
  void run(uint32_t times) override {
    for (uint32_t i = 0; i < times; ++i) rival_.run({data_.data(), bytes_.data()});
    memory_.wait();
    if (const char* error = memory_.error()) throw Wrong{fmt::format("the rival failed: {}", error)};
  }
  Contents results() override {
    Contents out;
    for (size_t i = 0; i < data_.size(); ++i) {
      memory_.read(out.emplace_back(bytes_[i]).data(), data_[i], bytes_[i]);
    }
    return out;
  }

 private:
  const Memory& memory_;
  const Rival& rival_;
  std::vector<void*> data_;
  std::vector<size_t> bytes_;
};

struct Parameter {
  std::string name;
  spec::DataType element{};
};

/// Bytes, or floats of 32 bits that differ by at most a thousandth.
void expect_equal(const Contents& ours, const Contents& theirs, std::span<const Parameter> parameters,
                  bool exact, std::string_view who) {
  for (size_t b = 0; b < ours.size(); ++b) {
    const bool floats = parameters[b].element == spec::DataType::F32 && !exact;
    const size_t size = spec::info(parameters[b].element).bytes;
    for (size_t at = 0; at < ours[b].size(); at += size) {
      const auto *x = ours[b].data() + at, *y = theirs[b].data() + at;
      if (std::memcmp(x, y, size) == 0) continue;
      if (floats) {
        float p, q;
        std::memcpy(&p, x, 4), std::memcpy(&q, y, 4);
        if (std::abs(p - q) <= 1e-3f * std::max({std::abs(p), std::abs(q), 1e-3f})) continue;
      }
      const auto text = [&](const unsigned char* bytes) {
        return host::format_element(reinterpret_cast<const std::byte*>(bytes), parameters[b].element, true);
      };
      throw Wrong{fmt::format("results differ: {}[{}] is {}, and {} of {}", parameters[b].name, at / size,
                              text(x), text(y), who)};
    }
  }
}

/// A pipeline that runs that one so many times, so that a device is waited for once.
host::Step in_a_row(const std::string& text, const std::string& pipeline, const text::Constants& constants,
                    std::span<const Parameter> parameters, uint32_t times) {
  const size_t begin = text.find("pipeline " + pipeline + "(") + 10 + pipeline.size();
  std::string arguments;
  for (const Parameter& parameter : parameters) arguments += (arguments.empty() ? "" : ", ") + parameter.name;
  const std::string source =
      fmt::format("{}\npipeline in_a_row({}) {{ for turn in 0..{} {{ run {}({}); }} }}", text,
                  text.substr(begin, text.find(')', begin) - begin), times, pipeline, arguments);
  auto checked = check::check(done(text::parse_module(source, &ops::op_table(), constants)), ops::op_table());
  if (!checked) throw Wrong{render(checked.error().front(), nullptr)};
  const auto entry = host::find_entry(**checked, "in_a_row");
  if (!entry) throw Wrong{entry.error().message};
  return host::Step::of(std::move(*checked), *entry);
}

// The table.

struct Options {
  bool processors = false, large = false;
  bool quick = false, check = false;
  std::string backend = "native", beside;
  bool growth = false;
  uint64_t most = 10'000'000, elements = 0;  // 0: as the file says
};
struct Row {
  std::string name;
  double ours = 0, compile = 0;
  std::optional<double> hand, ratio, least, most, library, library_ratio;
  const char* library_name = "";
};

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

std::vector<const Rival*> rivals_of(const RivalSet& set, std::string_view kernel) {
  std::vector<const Rival*> out;
  for (const Rival* r = set.first; r != nullptr; r = r->next) {
    if (r->kernel == kernel && (r->available == nullptr || r->available())) out.push_back(r);
  }
  std::ranges::sort(out, {}, [](const Rival* r) { return r->library != nullptr; });  // by hand first
  return out;
}

std::string text_of(const std::filesystem::path& path) {
  const auto bytes = host::read_file(path, uint64_t{1} << 24);
  if (!bytes) throw Wrong{bytes.error().message};
  return {reinterpret_cast<const char*>(bytes->data()), bytes->size()};
}

Row measure(backend::Backend& backend, backend::Backend* beside, const RivalSet* rivals,
            const std::filesystem::path& path, const Options& options) {
  Row row{.name = path.stem()};
  std::string text = text_of(path);
  if (options.elements != 0) {
    constexpr std::string_view kPlace = "E=1000 ";
    const size_t at = text.find(kPlace);
    if (at == text.npos) throw Wrong{"its comment does not say E=1000"};
    text.replace(at, kPlace.size(), fmt::format("E={} ", options.elements));
  }
  const Setting setting = setting_of(text, options.large || options.backend != "native");

  text::Constants constants;
  for (const auto& [name, value] : setting.numbers) {
    if (text.find("const " + name + " =") != text.npos) constants[name] = uint32_t(value);
  }
  const auto file = host::load_module(path, ops::op_table(), {.constants = constants});
  if (!file) throw Wrong{file.error().rendered};
  const auto entry = host::find_entry(*file->module);
  if (!entry) throw Wrong{entry.error().message};
  layout::Groups groups = {1, 1, 1};
  uint32_t* const axes[] = {&groups.x, &groups.y, &groups.z};
  for (size_t i = 0; i < setting.groups.size() && i < 3; ++i)
    *axes[i] = uint32_t(setting.value(setting.groups[i]));
  const host::Step step = host::Step::of(file->module, *entry, groups);

  Contents inputs;
  std::vector<Parameter> parameters;
  for (const check::BufferId id : step.checked->bound_buffers()) {
    const ir::Program& program = step.checked->program();
    const ir::BufferDecl& decl = step.checked->buffer(id);
    const Parameter& parameter =
        parameters.emplace_back(std::string(program.code.name(decl.name)), program.element(decl));
    const auto given = setting.inputs.find(parameter.name);
    if (given == setting.inputs.end()) {
      throw Wrong{fmt::format("its comment has no input for {}", parameter.name)};
    }
    Input input(element_of(parameter.element));
    if (!append_input(input, evaluated(setting, given->second))) {
      throw Wrong{fmt::format("'{}' is no input of {}", given->second, parameter.name)};
    }
    inputs.push_back(std::move(input.bytes));
  }

  const auto repeated = [&](uint32_t times) {
    const std::string& name = file->module->module().pipelines[entry->number].name;
    return in_a_row(text, name, constants, parameters, times);
  };
  std::unique_ptr<Candidate> ours;
  row.compile = seconds([&] { ours = std::make_unique<Ours>(backend, step, inputs, repeated); });
  std::vector<std::unique_ptr<Candidate>> all;
  std::vector<const Rival*> present;
  if (rivals != nullptr) present = rivals_of(*rivals, row.name);
  if (rivals != nullptr && present.empty()) throw Wrong{"it has no rival"};
  ours->run(1);
  const Contents found = ours->results();
  if (found == inputs) throw Wrong{"it writes nothing that was not there"};
  const bool approximate = host::is_approximate({&step, 1});
  all.push_back(std::move(ours));
  static const Rival kOtherBackend{};
  if (beside != nullptr) {
    all.push_back(std::make_unique<Ours>(*beside, step, inputs, repeated));
    all.back()->run(1);
    expect_equal(found, all.back()->results(), parameters, !approximate, options.beside);
    present.insert(present.begin(), &kOtherBackend);
  }
  for (const Rival* r : present) {
    if (r == &kOtherBackend) continue;
    auto candidate = std::make_unique<RivalRun>(rivals->memory, *r, inputs);
    candidate->run(1);
    if (r->compared) {
      expect_equal(found, candidate->results(), parameters, r->exact && !approximate,
                   r->library == nullptr ? "the rival" : r->library);
    }
    all.push_back(std::move(candidate));
  }

  if (options.check) return row;

  // So many runs in one go that a clock can time them; of a device so many that handing them over, some 40 us
  // of Vulkan, is no part of it.
  const bool on_device = options.backend != "native";
  const double once = seconds([&] { all[0]->run(1); });
  const auto times = uint32_t(std::clamp((on_device ? 2e-3 : 2e-4) / once, 1.0, 200.0));
  const int rounds = options.quick ? 1 : 7;
  const double budget = (options.quick ? 0.05 : 0.12) * double(all.size());
  std::vector<std::vector<double>> rounds_of(all.size());
  const auto begin = std::chrono::steady_clock::now();
  constexpr std::chrono::seconds kLongest(12);
  for (int round = 0; round < rounds; ++round) {
    if (round > 0 && std::chrono::steady_clock::now() - begin > kLongest) break;
    std::vector<double> best(all.size(), 1e9);
    const auto take_turns = [&](std::span<const size_t> candidates, double seconds) {
      const auto start = std::chrono::steady_clock::now();
      for (int turn = 0;; ++turn) {
        const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
        if (spent.count() > seconds && (turn >= 3 || (turn >= 1 && spent.count() > 8 * seconds))) break;
        for (const size_t i : candidates) {
          const double time = time_of(options.processors, [&] { all[i]->run(times); });
          best[i] = std::min(best[i], time / times);
        }
      }
    };
    std::vector<size_t> each(all.size());
    std::iota(each.begin(), each.end(), size_t{0});
    if (!on_device) {
      take_turns(each, budget);
    } else {
      if (round == 0) {  // a device that had nothing to do while a driver compiled runs slowly at first
        take_turns({each.data(), 1}, 0.3);
        best[0] = 1e9;
      }
      // Contexts of a device share it by time slices: with another one that works in between, each run would
      // take 0.1 to 0.2 ms longer.
      for (const size_t i : each) take_turns({&i, 1}, budget / double(all.size()));
    }
    for (size_t i = 0; i < all.size(); ++i) rounds_of[i].push_back(best[i]);
  }
  row.ours = median(rounds_of[0]);
  for (size_t i = 1; i < all.size(); ++i) {
    std::vector<double> ratios;
    for (size_t k = 0; k < rounds_of[i].size(); ++k) ratios.push_back(rounds_of[0][k] / rounds_of[i][k]);
    if (present[i - 1]->library == nullptr) {
      row.hand = median(rounds_of[i]);
      row.ratio = median(ratios);
      row.least = std::ranges::min(ratios), row.most = std::ranges::max(ratios);
    } else if (!row.library) {
      row.library = median(rounds_of[i]);
      row.library_ratio = median(ratios);
      row.library_name = present[i - 1]->library;
    }
  }
  return row;
}

std::string in_us(std::optional<double> time) { return time ? fmt::format("{:.1f}", *time * 1e6) : "-"; }
std::string in_parts(std::optional<double> ratio) { return ratio ? fmt::format("{:.2f}", *ratio) : "-"; }

void print(const Row& r) {
  const std::string spread = r.least ? fmt::format("{:.2f}-{:.2f}", *r.least, *r.most) : "-";
  fmt::print("{:<22} {:>11} {:>11} {:>7} {:>11} {:>7} {:>13} {:>8.0f}  {}\n", r.name, in_us(r.ours),
             in_us(r.hand), in_parts(r.ratio), in_us(r.library), in_parts(r.library_ratio), spread,
             r.compile * 1e3, r.library_name);
  std::fflush(stdout);
}

/// The files of bench/kernels and bench/library, and those of the examples that say what they are measured
/// on.
std::vector<std::filesystem::path> kernels(bool growth) {
  const char* const source = std::getenv("VYRE_SOURCE_DIR");  // as `./dev gpu` sets it
  const std::filesystem::path root = source != nullptr ? source : VYRE_SOURCE_DIR;
  std::vector<std::filesystem::path> out;
  const std::vector<const char*> folders =
      growth ? std::vector{"bench/growth"} : std::vector{"bench/kernels", "bench/library", "examples"};
  for (const char* folder : folders) {
    for (const auto& entry : std::filesystem::directory_iterator(root / folder)) {
      if (entry.path().extension() != ".vyre") continue;
      if (std::string_view(folder) == "examples" &&
          text_of(entry.path()).find("\n// bench:") == std::string::npos) {
        continue;
      }
      out.push_back(entry.path());
    }
  }
  std::ranges::sort(out, {}, [](const auto& path) { return path.stem(); });
  return out;
}

/// What an element takes, by how many there are.
bool print_growth(backend::Backend& backend, const std::filesystem::path& path, Options options) {
  fmt::print("{:<22}", path.stem().string());
  try {
    double before = 0, last = 0;
    for (options.elements = 1000; options.elements <= options.most; options.elements *= 10) {
      before = std::exchange(
          last, measure(backend, nullptr, nullptr, path, options).ours * 1e9 / double(options.elements));
      fmt::print(" {:>10.4f}", last);
      std::fflush(stdout);
    }
    fmt::print(" {:>7.2f}\n", last / before);
    return true;
  } catch (const Wrong& wrong) {
    return fmt::print(" error: {}\n", wrong.why), false;
  }
}

int run(const std::vector<std::string>& names, const Options& options, const RivalSet* rivals) {
  const auto open = [](const std::string& name) {
    return must(backend::open(name, {.reference = {}, .threads = thread_count}));
  };
  const auto backend = open(options.backend);
  const auto beside = options.beside.empty() ? nullptr : open(options.beside);
  fmt::print("{}, {}; {}\n", backend->identity().device, backend->identity().driver,
             options.growth ? "nanoseconds an element, and what the last column has of the one before"
                            : "times in us, compiling in ms, ratios of ours to the rival's");
  if (options.growth) {
    fmt::print("{:<22}", "operation");
    for (uint64_t n = 1000; n <= options.most; n *= 10) fmt::print(" {:>10}", n);
    fmt::print(" {:>7}\n", "grows");
  } else if (!options.check)
    fmt::print("{:<22} {:>11} {:>11} {:>7} {:>11} {:>7} {:>13} {:>8}\n", "kernel", "ours",
               options.beside.empty() ? "hand" : options.beside, "ratio", "library", "ratio", "spread",
               "compile");
  const std::vector<std::filesystem::path> files = kernels(options.growth);
  for (const std::string& name : names) {
    if (std::ranges::none_of(files, [&](const auto& f) { return f.stem() == name; })) {
      return fmt::print(stderr, "there is no kernel {}\n", name), 2;
    }
  }
  bool good = true;
  double log_sum = 0;
  int count = 0;
  Row worst;
  for (const auto& path : files) {
    if (!names.empty() && std::ranges::find(names, path.stem().string()) == names.end()) continue;
    if (options.growth) {
      good &= print_growth(*backend, path, options);
      continue;
    }
    try {
      const Row row = measure(*backend, beside.get(), rivals, path, options);
      if (options.check)
        fmt::print("{:<22} the same bytes\n", row.name);
      else
        print(row);
      if (!row.ratio) continue;
      log_sum += std::log(*row.ratio);
      ++count;
      if (!worst.ratio || *row.ratio > *worst.ratio) worst = row;
    } catch (const Wrong& wrong) {
      fmt::print("{:<22} error: {}\n", path.stem().string(), wrong.why);
      std::fflush(stdout);
      good = false;
    }
  }
  if (count > 0) {
    fmt::print("geometric mean of {}: {:.3f}; the worst: {} {:.2f}\n", count, std::exp(log_sum / count),
               worst.name, *worst.ratio);
  }
  return good ? 0 : 1;
}

const RivalSet* load_rivals(const std::string& path) {
  void* const library = dlopen(path.c_str(), RTLD_NOW);
  if (library == nullptr) {
    fmt::print(stderr, "{}\n", dlerror());
    std::exit(3);
  }
  const auto rivals = reinterpret_cast<const RivalSet* (*)()>(dlsym(library, "vyre_rivals"));
  if (rivals == nullptr) {
    fmt::print(stderr, "{} has no vyre_rivals\n", path);
    std::exit(2);
  }
  return rivals();
}

}  // namespace
}  // namespace vyre::bench

int main(int argc, char** argv) {
  using namespace vyre::bench;
  CLI::App app("kernels beside those that a person writes");
  std::vector<std::string> names;
  Options options;
  std::string rivals;
  app.add_option("names", names, "kernels; all of bench/kernels without any");
  app.add_flag("--quick", options.quick, "one short round");
  app.add_flag("--check", options.check, "compare results, and time nothing");
  app.add_flag("--large", options.large, "on the CPU too, the sizes that files give for a GPU");
  app.add_flag("--processor-time", options.processors,
               "of all threads, instead of the wall's: for a busy machine, with --threads 1");
  app.add_flag("--growth", options.growth, "what an element takes, by how many there are");
  app.add_option("--most", options.most, "elements of --growth");
  app.add_option("--threads", thread_count, "of ours and of rivals in C++")->check(CLI::PositiveNumber);
  app.add_option("--backend", options.backend, "whose code is measured");
  app.add_option("--beside", options.beside, "another backend, whose code of ours is the rival");
  app.add_option("--rivals", rivals, "a shared object of rivals; without one those in C++, for native");
  CLI11_PARSE(app, argc, argv);
  const RivalSet in_cpp = {first_rival(), host_memory()};
  const RivalSet* set = !rivals.empty()                                         ? load_rivals(rivals)
                        : options.backend == "native" && options.beside.empty() ? &in_cpp
                                                                                : nullptr;
  return run(names, options, set);
}
