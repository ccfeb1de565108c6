// run_pipeline: a pipeline over memory that stays on the device, through the C API of vyre.
//
//   cmake -S examples/c -B build && cmake --build build && build/run_pipeline_c [BACKEND]
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <vyre/vyre.h>

// Adds neighbours that are ever further apart, until each element is the sum of all up to it.
static const char kText[] =
    "const W = 64;\n"
    "program add(uniform by: u32 @0, read from: u32 @1, read_write to: u32 @2) workgroup(W, 1, 1) {\n"
    "  let i = invocation_id.x;\n"
    "  if (i < len(to)) {\n"
    "    to[i] = from[i] + select(i >= by[0], from[i - by[0]], 0);\n"
    "  }\n"
    "}\n"
    "pipeline prefix_sum(read_write data: u32 @0) {\n"
    "  scratch other: u32[len(data)];\n"
    "  let groups_of_all = ceil_div(len(data), W);\n"
    "  for i in 0..16 {\n"
    "    if ((1 << (2 * i)) < len(data)) {\n"
    "      dispatch add(by = [1 << (2 * i)], from = data, to = other) groups(groups_of_all);\n"
    "      dispatch add(by = [2 << (2 * i)], from = other, to = data) groups(groups_of_all);\n"
    "    }\n"
    "  }\n"
    "}\n";

static int report(vyre_status status, vyre_diagnostics* diagnostics) {
  vyre_blob* rendered = NULL;
  if (diagnostics != NULL && vyre_diagnostics_render(diagnostics, "prefix_sum", 10, &rendered) == VYRE_OK) {
    fputs(vyre_blob_view(rendered).data, stderr);
  } else {
    fprintf(stderr, "run_pipeline: %s\n", vyre_status_text(status).data);
  }
  vyre_blob_free(rendered);
  vyre_diagnostics_free(diagnostics);
  return 1;
}

int main(int argc, char** argv) {
  const char* backend_name = argc > 1 ? argv[1] : "native";
  vyre_diagnostics* wrong = NULL;
  vyre_module* module = NULL;
  vyre_checked_module* checked = NULL;
  vyre_backend* backend = NULL;
  vyre_executable* executable = NULL;
  vyre_device_buffer* buffer = NULL;
  size_t entry = 0;

  const vyre_constant chosen = {"W", 1, 128};
  vyre_status status = vyre_module_parse(kText, strlen(kText), &chosen, 1, &module, &wrong);
  if (status == VYRE_OK) status = vyre_module_check(module, &checked, &wrong);
  if (status == VYRE_OK) status = vyre_module_find_entry(checked, NULL, 0, &entry);
  if (status == VYRE_OK) status = vyre_backend_open(backend_name, strlen(backend_name), &backend, &wrong);
  if (status == VYRE_OK) status = vyre_module_compile(backend, checked, entry, &executable, &wrong);

  // To the device once; what runs there stays there until it is read.
  uint32_t data[] = {1, 2, 3, 4, 5};
  if (status == VYRE_OK) status = vyre_device_buffer_allocate(backend, sizeof data, &buffer, &wrong);
  if (status == VYRE_OK) status = vyre_device_buffer_write(buffer, 0, data, sizeof data, &wrong);
  const vyre_range ranges[] = {{buffer, 0, sizeof data}};
  if (status == VYRE_OK) status = vyre_executable_run(executable, ranges, 1, &wrong);
  if (status == VYRE_OK) status = vyre_executable_run(executable, ranges, 1, &wrong);  // sums of sums
  if (status == VYRE_OK) status = vyre_device_buffer_read(buffer, 0, data, sizeof data, &wrong);

  vyre_device_buffer_free(buffer);
  vyre_executable_free(executable);
  vyre_backend_free(backend);
  vyre_checked_module_free(checked);
  vyre_module_free(module);
  if (status != VYRE_OK) return report(status, wrong);

  printf("data:");
  for (size_t i = 0; i < sizeof data / sizeof *data; ++i) printf(" %u", (unsigned)data[i]);
  printf("\n");
  return 0;
}
