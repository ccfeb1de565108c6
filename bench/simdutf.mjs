// The rate of simdutf's validation of UTF-8 on one core: node bench/simdutf.mjs [BYTES]
//
// Debian has no library of simdutf, but Node has it inside, and buffer.isUtf8() is its validate_utf8. The text is mixed as that of
// bench/library/library_utf8_valid.vyre (`utf8:BYTES:SEED` of bench/kernels/inputs.h): 55 of 64 characters are ASCII.
import { isUtf8 } from "node:buffer";

const size = Number(process.argv[2] ?? 1048576);
const text = Buffer.alloc(size, " ");
let state = 1;
const random = () => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state >>> 8;
};
for (let at = 0; at + 4 <= size; ) {
  const kind = random() % 64, letter = random();
  if (kind >= 9) text[at++] = kind < 16 ? 0x20 : 0x61 + (letter % 26);
  else if (kind >= 3) { text[at++] = 0xc3; text[at++] = 0x80 + (letter % 64); }
  else if (kind >= 1) { text[at++] = 0xe4 + (letter % 5); text[at++] = 0x80 + ((letter >> 3) % 64); text[at++] = 0x80 + ((letter >> 9) % 64); }
  else { text[at++] = 0xf0; text[at++] = 0x9f; text[at++] = 0x80 + (letter % 64); text[at++] = 0x80 + ((letter >> 6) % 64); }
}
const broken = Buffer.from(text);
broken[size - 1] = 0xff;
if (!isUtf8(text) || isUtf8(broken)) throw new Error("wrong answer");
const calls = Math.max(1, Math.ceil((64 << 20) / size));
let best = Infinity;
for (let round = 0; round < 15; ++round) {
  const begin = process.hrtime.bigint();
  for (let k = 0; k < calls; ++k) isUtf8(text);
  best = Math.min(best, Number(process.hrtime.bigint() - begin) / calls);
}
console.log(`simdutf ${process.versions.simdutf}, one core: ${(best / 1e3).toFixed(1)} us for ${size} bytes, ${(size / best).toFixed(2)} GB/s`);
