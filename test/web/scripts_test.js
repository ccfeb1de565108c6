// The scripts of a page that need neither a page nor a device: digests, and how values are shown.
//
//   deno run --allow-read --allow-env scripts_test.js      (VYRE_SOURCE: the project's folder)
//
// Oracle: Web Crypto; the engine's own floats; digests of NIST's examples for SHA-256.
import assert from "node:assert/strict";

for (const script of ["digest.js", "judge.js"]) {
  (0, eval)(await Deno.readTextFile(`${Deno.env.get("VYRE_SOURCE")}/src/web/${script}`));
}
const { sha256, digest_results, digest_page, show, judge } = globalThis.vyre;
const utf8 = new TextEncoder();
const hex = (bytes) => Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");

// FIPS 180-2, appendix B, and the empty message.
assert.equal(sha256(utf8.encode("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
assert.equal(sha256(utf8.encode("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
assert.equal(sha256(new Uint8Array()), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
for (let length = 0; length < 260; ++length) {
  const bytes = crypto.getRandomValues(new Uint8Array(length));
  assert.equal(sha256(bytes), hex(await crypto.subtle.digest("SHA-256", bytes)), `${length} bytes`);
}

// A digest of results is of the names and sizes as well: what moves from one buffer to another is another result.
const results = (...pairs) => digest_results(pairs.map(([name, bytes]) => ({ name, bytes: Uint8Array.from(bytes) })));
const by_hand = Uint8Array.from([1, 0, 0, 0, 0x61, 2, 0, 0, 0, 0, 0, 0, 0, 7, 8, 1, 0, 0, 0, 0x62, 0, 0, 0, 0, 0, 0, 0, 0]);
assert.equal(results(["a", [7, 8]], ["b", []]), hex(await crypto.subtle.digest("SHA-256", by_hand)));
assert.notEqual(results(["a", [7, 8]], ["b", []]), results(["a", [7]], ["b", [8]]));

// That of a page is of all it says in the text that JSON has for it, with Web Crypto and without.
const said = '{"title":"\\u0001 \u00e9\ufffd \\\\","cases":[{"groups":[1,2,3]}]}';
const subtle = Object.getOwnPropertyDescriptor(globalThis, "crypto");
const page_digest = hex(await crypto.subtle.digest("SHA-256", utf8.encode(said)));
for (const without of [false, true]) {
  if (without) Object.defineProperty(globalThis, "crypto", { value: undefined, configurable: true });
  assert.equal(await digest_page({ ...JSON.parse(said), digest: "x", decoded: new Map() }), page_digest);
}
Object.defineProperty(globalThis, "crypto", subtle);

// Values of every form.
const page = {
  types: {
    u32: { bytes: 4, form: "unsigned" }, i32: { bytes: 4, form: "signed" }, u128: { bytes: 16, form: "unsigned" },
    bool: { bytes: 4, form: "bool" }, vec2u32: { bytes: 8, form: "vector" }, f16: { bytes: 2, form: "float", exponent: 5 },
    bf16: { bytes: 2, form: "float", exponent: 8 }, f32: { bytes: 4, form: "float", exponent: 8 },
  },
};
const all_ones = new Uint8Array(16).fill(255);
assert.equal(show(page, "u32", all_ones.slice(0, 4)), "0xffffffff (4294967295)");
assert.equal(show(page, "i32", Uint8Array.from([0xfe, 255, 255, 255])), "0xfffffffe (-2)");
assert.equal(show(page, "u128", all_ones), `0x${"f".repeat(32)} (340282366920938463463374607431768211455)`);
assert.equal(show(page, "bool", Uint8Array.from([0, 1, 0, 0])), "0x00000100 (true)");
assert.equal(show(page, "vec2u32", Uint8Array.from([1, 0, 0, 0, 2, 0, 0, 0])), "0x0000000200000001");
const view = new DataView(new ArrayBuffer(4));
const text = (value) => (Object.is(value, -0) ? "-0" : String(value));
function expect_float(type, word, value) {
  view.setUint32(0, word, true);
  const shown = show(page, type, new Uint8Array(view.buffer.slice(0, page.types[type].bytes)));
  assert.equal(shown, `0x${word.toString(16).padStart(2 * page.types[type].bytes, "0")} (${text(value)})`);
}
for (let word = 0; word < 0x10000; ++word) {
  view.setUint16(0, word, true);
  expect_float("f16", word, view.getFloat16(0, true));
  view.setUint32(0, word * 0x10000, true);
  expect_float("bf16", word, view.getFloat32(0, true));
}
for (const word of [0, 0x80000000, 1, 0x807fffff, 0x00800000, 0x3f800000, 0xbf800001, 0x7f7fffff, 0x7f800000, 0xff800000,
  0x7fc00000, 0x7f800001, 0x3dcccccd, ...crypto.getRandomValues(new Uint32Array(10_000))]) {
  view.setUint32(0, word, true);
  expect_float("f32", word, view.getFloat32(0, true));
}

// The first place that differs, in the second of two outputs, at a size that is no multiple of a word.
const base64 = (bytes) => btoa(String.fromCharCode(...bytes));
const halves = { ...page, pieces: [base64([1, 0, 2, 0, 3, 0]), base64([9, 0, 0, 0])] };
const test = {
  instances: 4, digest: results(["x", [9, 0, 0, 0]], ["y", [1, 0, 2, 0, 3, 0]]), replay: { command: "again" },
  buffers: [
    { name: "x", type: "u32", count: 1, bytes: 4, input: [1], expected: [1] },
    { name: "y", type: "f16", count: 3, bytes: 6, input: [0], expected: [0] },
  ],
};
const outcome = (y) => judge(halves, test, [{ name: "x", bytes: Uint8Array.from([9, 0, 0, 0]) }, { name: "y", bytes: Uint8Array.from(y) }]);
assert.deepEqual(outcome([1, 0, 2, 0, 3, 0]), { verdict: "equal", digest: test.digest });
const { verdict, difference } = outcome([1, 0, 2, 0, 3, 0x3c]);
assert.equal(verdict, "differs");
assert.deepEqual([difference.where, difference.expected.slice(0, 6), difference.actual.slice(0, 6), difference.replay],
  ["y[2]", "0x0003", "0x3c03", "again"]);

console.log("scripts: all as they must be");
