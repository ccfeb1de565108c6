// Versions, statuses and diagnostics of the C API.
#include "api/handles.h"

namespace {

using namespace vyre;
using api::view;

vyre_place place_of(Span span, const Source* source) {
  vyre_place place = {span.begin, span.end, 0, 0};
  if (source != nullptr && span.known()) {
    const Source::Position at = source->position(span.begin);
    place.line = at.line;
    place.column = at.column;
  }
  return place;
}

const Diag* find(const vyre_diagnostics* diagnostics, size_t index) {
  return diagnostics != nullptr && index < diagnostics->list.size() ? &diagnostics->list[index] : nullptr;
}

}  // namespace

uint32_t vyre_api_version(void) { return VYRE_API_VERSION; }

vyre_string vyre_version(void) { return view(VYRE_VERSION); }

vyre_string vyre_status_text(vyre_status status) {
  switch (status) {
    case VYRE_OK: return view("ok");
    case VYRE_REFUSED: return view("refused: the diagnostics say why");
    case VYRE_INVALID_ARGUMENT: return view("invalid argument");
    case VYRE_OUT_OF_MEMORY: return view("out of memory");
    case VYRE_INTERNAL_FAULT: return view("a fault of vyre; please report it");
    default: return view("no status of this version");
  }
}

size_t vyre_diagnostics_count(const vyre_diagnostics* diagnostics) {
  return diagnostics != nullptr ? diagnostics->list.size() : 0;
}

vyre_status vyre_diagnostics_get(const vyre_diagnostics* diagnostics, size_t index, vyre_diagnostic* out) {
  const Diag* diag = find(diagnostics, index);
  if (diag == nullptr || out == nullptr) return VYRE_INVALID_ARGUMENT;
  return api::guarded([&] {
    const DiagInfo& info = diag_info(diag->code);
    vyre_diagnostic answer = {};
    answer.code = view(info.name);
    answer.title = view(info.title);
    answer.explanation = view(info.explanation);
    answer.message = view(diag->message);
    answer.help = view(diag->help);
    answer.place = place_of(diag->span, diagnostics->source.get());
    answer.note_count = diag->notes.size();
    return api::give(answer, offsetof(vyre_diagnostic, note_count) + sizeof answer.note_count, out);
  });
}

vyre_status vyre_diagnostics_note(const vyre_diagnostics* diagnostics, size_t index, size_t note,
                                  vyre_note* out) {
  const Diag* diag = find(diagnostics, index);
  if (diag == nullptr || note >= diag->notes.size() || out == nullptr) return VYRE_INVALID_ARGUMENT;
  vyre_note answer = {};
  answer.message = view(diag->notes[note].message);
  answer.place = place_of(diag->notes[note].span, diagnostics->source.get());
  return api::give(answer, offsetof(vyre_note, place) + sizeof answer.place, out);
}

vyre_string vyre_blob_view(const vyre_blob* blob) {
  return blob != nullptr ? view(blob->contents) : view("");
}

void vyre_blob_free(vyre_blob* blob) { delete blob; }

vyre_status vyre_diagnostics_render(const vyre_diagnostics* diagnostics, const char* file, size_t file_size,
                                    vyre_blob** out) {
  return api::making(out, nullptr, [&]() -> vyre_status {
    if (diagnostics == nullptr || !api::readable(file, file_size)) return VYRE_INVALID_ARGUMENT;
    const std::string name(api::text_of(file, file_size));
    auto blob = std::make_unique<vyre_blob>();
    // A source is named when it is made, and here only now.
    std::unique_ptr<const Source> source;
    if (diagnostics->source) {
      source = std::make_unique<Source>(name, std::string(diagnostics->source->text()));
    }
    for (const Diag& diag : diagnostics->list) blob->contents += render(diag, source.get(), name);
    *out = blob.release();
    return VYRE_OK;
  });
}

void vyre_diagnostics_free(vyre_diagnostics* diagnostics) { delete diagnostics; }
