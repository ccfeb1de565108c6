// Digests: SHA-256, as everywhere in vyre. Those of results are many and small, so they are computed here; that of the whole
// page is the browser's own (Web Crypto), which is wherever WebGPU is.
(() => {
  "use strict";

  // Source: FIPS 180-4.
  const kRound = new Uint32Array([
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98,
    0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8,
    0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819,
    0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
    0xc67178f2,
  ]);

  function compress(state, block, w) {
    for (let i = 0; i < 16; ++i) w[i] = block.getUint32(4 * i);
    for (let i = 16; i < 64; ++i) {
      const a = w[i - 15], b = w[i - 2];
      const s0 = ((a >>> 7) | (a << 25)) ^ ((a >>> 18) | (a << 14)) ^ (a >>> 3);
      const s1 = ((b >>> 17) | (b << 15)) ^ ((b >>> 19) | (b << 13)) ^ (b >>> 10);
      w[i] = (w[i - 16] + s0 + w[i - 7] + s1) | 0;
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let i = 0; i < 64; ++i) {
      const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
      const t1 = (h + s1 + ((e & f) ^ (~e & g)) + kRound[i] + w[i]) | 0;
      const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
      const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + t2) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((word, i) => (state[i] = (state[i] + word) | 0));
  }

  /** The SHA-256 of bytes, in hexadecimal. */
  function sha256(bytes) {
    const whole = Math.ceil((bytes.length + 9) / 64) * 64;
    const padded = new Uint8Array(whole);
    padded.set(bytes);
    padded[bytes.length] = 0x80;
    const view = new DataView(padded.buffer);
    view.setBigUint64(whole - 8, BigInt(bytes.length) * 8n);
    const state = new Int32Array([
      0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
    ]);
    const w = new Int32Array(64);
    for (let at = 0; at < whole; at += 64) compress(state, new DataView(padded.buffer, at, 64), w);
    return Array.from(state, (word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
  }

  /** One digest over all results, as `vyre run --compare` prints it: of each, its name, its size, its bytes. */
  function digest_results(results) {
    const chunks = [];
    for (const { name, bytes } of results) {
      const text = new TextEncoder().encode(name);
      const head = new DataView(new ArrayBuffer(4)), size = new DataView(new ArrayBuffer(8));
      head.setUint32(0, text.length, true);
      size.setBigUint64(0, BigInt(bytes.length), true);
      chunks.push(new Uint8Array(head.buffer), text, new Uint8Array(size.buffer), bytes);
    }
    const all = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
    let at = 0;
    for (const chunk of chunks) {
      all.set(chunk, at);
      at += chunk.length;
    }
    return sha256(all);
  }

  /** The digest of all that cases.js says but for the digest itself; by Web Crypto, where the address has that. */
  async function digest_page({ digest, decoded, ...said }) {
    const bytes = new TextEncoder().encode(JSON.stringify(said));
    if (!globalThis.crypto?.subtle) return sha256(bytes);
    const found = new Uint8Array(await globalThis.crypto.subtle.digest("SHA-256", bytes));
    return Array.from(found, (byte) => byte.toString(16).padStart(2, "0")).join("");
  }

  globalThis.vyre = { ...globalThis.vyre, sha256, digest_results, digest_page };
})();
