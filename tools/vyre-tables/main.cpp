// vyre-tables: from literals, globs or regular expressions to the tables of the operations of `match`.
#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <memory>

#include "../run_verbs.h"
#include "../verb.h"
#include "host/files.h"
#include "host/process.h"
#include "tables/tables.h"

namespace vyre::tool {

const std::string_view kProgram = "vyre-tables";

namespace {

struct Options {
  std::string path, out;
};

/// Writes the table, or says what is wrong with the file: nothing is written then.
int run(tables::Kind kind, const Options& o) {
  const auto bytes = host::read_file(o.path, tables::kMostFileBytes);
  if (!bytes) return usage_error(bytes.error().message);
  const std::string_view text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  const auto table = tables::make_table_of_lines(kind, text);
  if (!table) {
    const tables::Fault& fault = table.error();
    fmt::print(stderr, "{}:{}:{}: error: {}\n  help: {}\n", printable(o.path), fault.line, fault.column,
               fault.message, fault.help);
    return 1;
  }
  if (const auto written = host::write_file(o.out, std::as_bytes(std::span(table->words))); !written)
    return usage_error(written.error().message);
  fmt::print(stderr, "{}: {} pattern{}, {} states, {} classes of bytes, {} bytes\n", printable(o.out),
             table->patterns, table->patterns == 1 ? "" : "s", table->states, table->classes,
             table->words.size() * sizeof(uint32_t));
  return 0;
}

void add(CLI::App& app, int& exit, tables::Kind kind, const std::string& name, const std::string& what,
         const std::string& footer) {
  auto* verb = app.add_subcommand(name, what);
  auto o = std::make_shared<Options>();
  verb->add_option("FILE", o->path, "one pattern a line; pattern 0 is the first")->required();
  verb->add_option("-o,--out", o->out, "write the table here, whole or not at all; - is stdout")
      ->type_name("FILE")
      ->required();
  verb->footer(footer);
  verb->callback([kind, o, &exit] { exit = run(kind, *o); });
}

}  // namespace

int run_main(int argc, char** argv) {
  CLI::App app(
      "vyre-tables: tables for match.aho_corasick, match.glob, match.regex and match.dfa.\n"
      "`vyre-tables VERB --help` shows an example of each verb.");
  app.require_subcommand(1);
  app.set_version_flag("--version", "vyre-tables " VYRE_VERSION);
  int exit = 0;
  add(app, exit, tables::Kind::Literals, "literals", "All occurrences of literals, for match.aho_corasick",
      "A line is a literal as it stands.\n"
      "Limits: 65,536 literals, and 67,108,864 words of table.\n"
      "Example:\n"
      "  vyre-tables literals words.txt -o words.bin\n"
      "  vyre run match.aho_corasick --set data=@text --set offsets=0,1000 --set lookup=@words.bin \\\n"
      "      --set ends=zeros:100 --set patterns=zeros:100 --set count=0");
  add(app, exit, tables::Kind::Globs, "glob", "Items that a glob matches, for match.glob and match.dfa",
      "* is any bytes, ? one byte, [a-z] and [!a-z] one of a class; [*] is a star.\n"
      "Limits: 65,536 globs, and 65,536 states before the automaton is made minimal.\n"
      "Example:\n"
      "  vyre-tables glob names.txt -o names.bin\n"
      "  vyre run match.glob --set data=@text --set offsets=0,5,9 --set lookup=@names.bin \\\n"
      "      --set patterns=zeros:2");
  add(app, exit, tables::Kind::Expressions, "regex",
      "The leftmost-longest match in each item, for match.regex",
      "Bytes; . [a-z] [^a-z] \\d \\D \\w \\W \\s \\S \\n \\t \\r \\f \\v \\xHH, \\ before a punctuation "
      "mark;\n"
      "( ) (?: ) | * + ? {m} {m,} {m,n} up to 1,000; ^ and $, the beginning and the end of the item.\n"
      "Limits: 65,536 expressions, and 65,536 states before the automaton is made minimal.\n"
      "Example:\n"
      "  vyre-tables regex rules.txt -o rules.bin\n"
      "  vyre run match.regex --set data=@text --set offsets=0,5,9 --set lookup=@rules.bin \\\n"
      "      --set starts=zeros:2 --set ends=zeros:2 --set patterns=zeros:2");
  return run_verbs(app, kProgram, argc, argv, exit);
}

}  // namespace vyre::tool

int main(int argc, char** argv) {
  // A file that may grow no more is an error of the write, which names it, and no reason to die.
  std::signal(SIGXFSZ, SIG_IGN);
  return vyre::host::run_process("vyre-tables", [&] { return vyre::tool::run_main(argc, argv); });
}
