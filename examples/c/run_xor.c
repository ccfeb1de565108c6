// run_xor: element-wise exclusive or, through the C API of vyre.
//
//   cmake -S examples/c -B build && cmake --build build && build/run_xor_c [BACKEND]
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <vyre/vyre.h>

static const char kText[] =
    "program xor(read a: u32 @0, read b: u32 @1, read_write out: u32 @2) workgroup(64, 1, 1) {\n"
    "  let i = invocation_id.x;\n"
    "  if (i < len(out)) {\n"
    "    out[i] = a[i] ^ b[i];\n"
    "  }\n"
    "}\n";

// Says why a call did not succeed. All diagnostics come as data too: vyre_diagnostics_get.
static int report(vyre_status status, vyre_diagnostics* diagnostics) {
  vyre_blob* rendered = NULL;
  if (diagnostics != NULL && vyre_diagnostics_render(diagnostics, "xor", 3, &rendered) == VYRE_OK) {
    fputs(vyre_blob_view(rendered).data, stderr);
  } else {
    fprintf(stderr, "run_xor: %s\n", vyre_status_text(status).data);
  }
  vyre_blob_free(rendered);
  vyre_diagnostics_free(diagnostics);
  return 1;
}

int main(int argc, char** argv) {
  const char* backend_name = argc > 1 ? argv[1] : "native";
  vyre_diagnostics* wrong = NULL;
  vyre_program* program = NULL;
  vyre_checked* checked = NULL;
  vyre_backend* backend = NULL;
  vyre_pipeline* pipeline = NULL;

  vyre_status status = vyre_parse(kText, strlen(kText), &program, &wrong);
  if (status == VYRE_OK) status = vyre_check(program, &checked, &wrong);
  if (status == VYRE_OK) status = vyre_backend_open(backend_name, strlen(backend_name), &backend, &wrong);
  if (status == VYRE_OK) status = vyre_compile(backend, checked, &pipeline, &wrong);

  // One buffer for each that the program declares, in that order; the sizes say how many elements.
  uint32_t a[] = {1, 2, 3}, b[] = {0xff, 0, 3}, out[3] = {0};
  const vyre_buffer buffers[] = {{a, sizeof a}, {b, sizeof b}, {out, sizeof out}};
  if (status == VYRE_OK) status = vyre_dispatch(pipeline, buffers, 3, 1, 1, 1, &wrong);

  // Handles may be freed in any order; freeing null does nothing.
  vyre_pipeline_free(pipeline);
  vyre_backend_free(backend);
  vyre_checked_free(checked);
  vyre_program_free(program);
  if (status != VYRE_OK) return report(status, wrong);

  printf("out: %u %u %u\n", (unsigned)out[0], (unsigned)out[1], (unsigned)out[2]);
  return 0;
}
