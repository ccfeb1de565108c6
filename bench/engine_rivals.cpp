#include "engine_rivals.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <memory>

#ifdef VYRE_HYPERSCAN
#include <hs/hs.h>
#endif
#ifdef VYRE_GRAPHBLAS
// Its functions are C's, and the header does not say so.
extern "C" {
#include <GraphBLAS.h>
}
#endif

namespace vyre::bench {
namespace {

void want(bool right, std::string_view what) {
  if (right) return;
  fmt::print(stderr, "{} failed\n", what);
  std::exit(1);
}

}  // namespace

#ifdef VYRE_GRAPHBLAS

LibraryRival graphblas_bfs(std::span<const uint32_t> offsets, std::span<const uint32_t> targets,
                           uint32_t source, std::span<uint32_t> levels, unsigned threads) {
  static const bool ready = GrB_init(GrB_NONBLOCKING) == GrB_SUCCESS;
  want(ready, "GrB_init");
  GxB_Global_Option_set_INT32(GxB_GLOBAL_NTHREADS, int32_t(threads));
  struct Made {
    GrB_Matrix graph = nullptr;
    GrB_Vector frontier = nullptr, levels = nullptr;
    std::vector<GrB_Index> places;
    std::vector<uint32_t> values;
    ~Made() {
      GrB_Matrix_free(&graph);
      GrB_Vector_free(&frontier);
      GrB_Vector_free(&levels);
    }
  };
  const auto made = std::make_shared<Made>();
  const GrB_Index n = offsets.size() - 1;
  std::vector<GrB_Index> rows(targets.size()), columns(targets.begin(), targets.end());
  for (size_t v = 0; v < n; ++v)
    for (uint32_t e = offsets[v]; e < offsets[v + 1]; ++e) rows[e] = v;
  const std::unique_ptr<bool[]> ones(new bool[targets.size()]);
  std::fill_n(ones.get(), targets.size(), true);
  GrB_Matrix_new(&made->graph, GrB_BOOL, n, n);
  want(GrB_Matrix_build_BOOL(made->graph, rows.data(), columns.data(), ones.get(), targets.size(), GrB_LOR) ==
           GrB_SUCCESS,
       "GrB_Matrix_build");
  GrB_Matrix_wait(made->graph, GrB_MATERIALIZE);
  made->places.resize(n);
  made->values.resize(n);
  const auto run = [=] {
    GrB_Vector_free(&made->frontier);
    GrB_Vector_free(&made->levels);
    GrB_Vector_new(&made->frontier, GrB_BOOL, n);
    GrB_Vector_new(&made->levels, GrB_UINT32, n);
    GrB_Vector_setElement_BOOL(made->frontier, true, source);
    GrB_Index reached = 1;
    for (uint32_t level = 0; reached != 0; ++level) {
      GrB_Vector_assign_UINT32(made->levels, made->frontier, nullptr, level, GrB_ALL, n, GrB_DESC_S);
      GrB_vxm(made->frontier, made->levels, nullptr, GxB_ANY_PAIR_BOOL, made->frontier, made->graph,
              GrB_DESC_RSC);
      GrB_Vector_nvals(&reached, made->frontier);
    }
    GrB_Index count = n;
    want(GrB_Vector_extractTuples_UINT32(made->places.data(), made->values.data(), &count, made->levels) ==
             GrB_SUCCESS,
         "GrB_Vector_extractTuples");
    std::fill(levels.begin(), levels.end(), ~0u);
    for (GrB_Index k = 0; k < count; ++k) levels[made->places[k]] = made->values[k];
  };
  return {fmt::format("GraphBLAS, {} threads", threads), {}, run};
}

#else

LibraryRival graphblas_bfs(std::span<const uint32_t>, std::span<const uint32_t>, uint32_t,
                           std::span<uint32_t>, unsigned) {
  return {"GraphBLAS", "libgraphblas-dev, when the bench is built", {}};
}

#endif
#ifdef VYRE_HYPERSCAN

LibraryRival hyperscan_literals(std::span<const std::string_view> literals, std::string_view text,
                                std::function<void(uint32_t literal, uint64_t end)> found) {
  struct Made {
    hs_database_t* database = nullptr;
    hs_scratch_t* scratch = nullptr;
    ~Made() {
      hs_free_scratch(scratch);
      hs_free_database(database);
    }
  };
  const auto made = std::make_shared<Made>();
  std::vector<const char*> expressions;
  std::vector<size_t> lengths;
  std::vector<unsigned> numbers;
  for (const std::string_view literal : literals) {
    expressions.push_back(literal.data());
    lengths.push_back(literal.size());
    numbers.push_back(unsigned(numbers.size()));
  }
  hs_compile_error_t* error = nullptr;
  want(hs_compile_lit_multi(expressions.data(), nullptr, numbers.data(), lengths.data(),
                            unsigned(literals.size()), HS_MODE_BLOCK, nullptr, &made->database,
                            &error) == HS_SUCCESS,
       "hs_compile_lit_multi");
  want(hs_alloc_scratch(made->database, &made->scratch) == HS_SUCCESS, "hs_alloc_scratch");
  const auto run = [made, text, found = std::move(found)] {
    const auto each = [](unsigned number, unsigned long long, unsigned long long to, unsigned,
                         void* context) {
      (*static_cast<decltype(&found)>(context))(number, to);
      return 0;
    };
    want(hs_scan(made->database, text.data(), unsigned(text.size()), 0, made->scratch, each,
                 const_cast<void*>(static_cast<const void*>(&found))) == HS_SUCCESS,
         "hs_scan");
  };
  return {"Hyperscan", {}, run};
}

#else

LibraryRival hyperscan_literals(std::span<const std::string_view>, std::string_view,
                                std::function<void(uint32_t, uint64_t)>) {
  return {"Hyperscan", "libhyperscan-dev, when the bench is built", {}};
}

#endif

namespace {

/// What of DuckDB's C interface is used. Source: duckdb.h of 1.4.
struct DuckDb {
  struct Result {
    uint64_t unused[3];
    void *columns, *message, *internal;
  };
  int (*open)(const char*, void**);
  int (*connect)(void*, void**);
  int (*query)(void*, const char*, Result*);
  const char* (*result_error)(Result*);
  void (*destroy_result)(Result*);
  int (*appender_create)(void*, const char*, const char*, void**);
  int (*append_uint32)(void*, uint32_t);
  int (*appender_end_row)(void*);
  int (*appender_destroy)(void**);
  void* (*fetch_chunk)(Result);
  uint64_t (*data_chunk_get_size)(void*);
  void* (*data_chunk_get_vector)(void*, uint64_t);
  void* (*vector_get_data)(void*);
  void (*destroy_data_chunk)(void**);

  /// Null where there is no library.
  static const DuckDb* load() {
    const char* const chosen = std::getenv("VYRE_DUCKDB_LIB");
    void* library = nullptr;
    for (const char* file :
         {chosen, VYRE_NPM "/@duckdb/node-bindings-linux-x64/libduckdb.so", "libduckdb.so"})
      if (library == nullptr && file != nullptr) library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return nullptr;
    static DuckDb out;
    const auto find = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
      want(function != nullptr, name);
    };
    find(out.open, "duckdb_open");
    find(out.connect, "duckdb_connect");
    find(out.query, "duckdb_query");
    find(out.result_error, "duckdb_result_error");
    find(out.destroy_result, "duckdb_destroy_result");
    find(out.appender_create, "duckdb_appender_create");
    find(out.append_uint32, "duckdb_append_uint32");
    find(out.appender_end_row, "duckdb_appender_end_row");
    find(out.appender_destroy, "duckdb_appender_destroy");
    find(out.fetch_chunk, "duckdb_fetch_chunk");
    find(out.data_chunk_get_size, "duckdb_data_chunk_get_size");
    find(out.data_chunk_get_vector, "duckdb_data_chunk_get_vector");
    find(out.vector_get_data, "duckdb_vector_get_data");
    find(out.destroy_data_chunk, "duckdb_destroy_data_chunk");
    return &out;
  }
  void ask(void* connection, const std::string& text, Result& result) const {
    if (query(connection, text.c_str(), &result) == 0) return;
    fmt::print(stderr, "DuckDB: {}\n", result_error(&result));
    std::exit(1);
  }
};

}  // namespace

LibraryRival duckdb_join(std::span<const uint32_t> left, std::span<const uint32_t> right, unsigned threads,
                         std::function<void(std::span<const uint32_t>, std::span<const uint32_t>)> pairs) {
  const DuckDb* const duckdb = DuckDb::load();
  if (duckdb == nullptr) return {"DuckDB", "@duckdb/node-bindings-linux-x64 of npm, or VYRE_DUCKDB_LIB", {}};
  void *database = nullptr, *connection = nullptr;  // for the life of the process
  want(duckdb->open(nullptr, &database) == 0 && duckdb->connect(database, &connection) == 0, "duckdb_open");
  const auto tell = [duckdb, connection](const std::string& text) {
    DuckDb::Result ignored{};
    duckdb->ask(connection, text, ignored);
    duckdb->destroy_result(&ignored);
  };
  tell(fmt::format("SET threads TO {}", threads));
  for (const auto& [name, keys] : {std::pair("l", left), std::pair("r", right)}) {
    tell(fmt::format("CREATE TABLE {}(k UINTEGER, i UINTEGER)", name));
    void* appender = nullptr;
    want(duckdb->appender_create(connection, nullptr, name, &appender) == 0, "duckdb_appender_create");
    for (uint32_t i = 0; i < keys.size(); ++i) {
      duckdb->append_uint32(appender, keys[i]);
      duckdb->append_uint32(appender, i);
      duckdb->appender_end_row(appender);
    }
    want(duckdb->appender_destroy(&appender) == 0, "duckdb_appender_destroy");
  }
  const auto run = [duckdb, connection, pairs = std::move(pairs)] {
    DuckDb::Result result{};
    duckdb->ask(connection, "SELECT l.i, r.i FROM l JOIN r ON l.k = r.k ORDER BY l.i, r.i", result);
    while (void* chunk = duckdb->fetch_chunk(result)) {
      const auto column = [&](uint64_t k) {
        return std::span(
            static_cast<const uint32_t*>(duckdb->vector_get_data(duckdb->data_chunk_get_vector(chunk, k))),
            size_t(duckdb->data_chunk_get_size(chunk)));
      };
      pairs(column(0), column(1));
      duckdb->destroy_data_chunk(&chunk);
    }
    duckdb->destroy_result(&result);
  };
  return {fmt::format("DuckDB, {} threads", threads), {}, run};
}

}  // namespace vyre::bench
