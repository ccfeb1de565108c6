// The judge: what a case's buffers hold before, what they must hold after, and where they differ.
(() => {
  "use strict";

  function bytes_of_base64(text) {
    const binary = atob(text);
    const out = new Uint8Array(binary.length);
    for (let i = 0; i < out.length; ++i) out[i] = binary.charCodeAt(i);
    return out;
  }

  /** The bytes that a list of pieces stands for. Pieces are shared by all cases, and decoded when first wanted. */
  function assemble(page, pieces, size) {
    page.decoded ??= new Map();
    const out = new Uint8Array(size);
    let at = 0;
    for (const piece of pieces) {
      if (!page.decoded.has(piece)) page.decoded.set(piece, bytes_of_base64(page.pieces[piece]));
      const bytes = page.decoded.get(piece);
      if (at + bytes.length > size) throw new Error("the page is damaged: a buffer has more bytes than it says");
      out.set(bytes, at);
      at += bytes.length;
    }
    if (at !== size) throw new Error("the page is damaged: a buffer has fewer bytes than it says");
    return out;
  }
  const before = (page, buffer) => assemble(page, buffer.input, buffer.bytes);
  const after = (page, buffer) => assemble(page, buffer.expected, buffer.bytes);

  /** An element as bits: "0x0000002a"; the most significant digit first. */
  function bits(bytes) {
    return "0x" + Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).reverse().join("");
  }

  /** The value of a binary floating-point number with `exponent` bits of exponent, from its bits. */
  function float_value(word, width, exponent) {
    const fraction_bits = width - 1 - exponent;
    const sign = word >= 2 ** (width - 1) ? -1 : 1;
    const magnitude = word % 2 ** (width - 1);
    const biased = Math.floor(magnitude / 2 ** fraction_bits), fraction = magnitude % 2 ** fraction_bits;
    const most = 2 ** exponent - 1, bias = 2 ** (exponent - 1) - 1;
    if (biased === most) return fraction === 0 ? sign * Infinity : NaN;
    const leading = biased === 0 ? 0 : 2 ** fraction_bits;
    return sign * (leading + fraction) * 2 ** (Math.max(biased, 1) - bias - fraction_bits);
  }

  /** An element for people: "0x3f800000 (1)". */
  function show(page, type, bytes) {
    const { form, exponent } = page.types[type];
    let number = 0n;
    bytes.forEach((byte, k) => (number |= BigInt(byte) << BigInt(8 * k)));
    if (form === "unsigned") return `${bits(bytes)} (${number})`;
    if (form === "signed") return `${bits(bytes)} (${BigInt.asIntN(8 * bytes.length, number)})`;
    if (form === "bool") return `${bits(bytes)} (${number !== 0n})`;
    if (form !== "float") return bits(bytes);
    const value = float_value(Number(number), 8 * bytes.length, exponent);
    return `${bits(bytes)} (${Object.is(value, -0) ? "-0" : value})`;
  }

  /** The line that runs a case again on the command line. */
  function replay_line(test, element) {
    const { command, subject, seed, ranges } = test.replay;
    if (command) return command;
    let first = 0;
    for (const { strategy, count, stride } of ranges) {
      if (element < first + count) {
        const token = `${subject}:${strategy}:${seed}:${(element - first) * stride}`;
        return `vyre-conform replay '${token}' --backend webgpu`;
      }
      first += count;
    }
    return `vyre-conform certify --backend webgpu`;  // what is wrong stands behind all cases
  }

  /** Where results are not what they must be: the first place, or undefined. */
  function first_difference(page, test, results) {
    for (const { name, bytes } of results) {
      const buffer = test.buffers.find((candidate) => candidate.name === name);
      const expected = after(page, buffer);
      const at = bytes.findIndex((byte, k) => byte !== expected[k]);
      if (at < 0) continue;
      const size = page.types[buffer.type].bytes;
      const element = Math.floor(at / size);
      const cut = (from) => from.slice(element * size, (element + 1) * size);
      const outside = test.replay.ranges && element >= test.instances;
      const inputs = test.replay.ranges && !outside
        ? test.buffers.filter((input) => !input.expected).map((input) => {
            const each = page.types[input.type].bytes;
            const bytes = before(page, input).slice(element * each, (element + 1) * each);
            return { name: input.name, value: show(page, input.type, bytes) };
          })
        : [];
      return {
        where: `${name}[${element}]`,
        note: outside ? "an element that no invocation may write" : "",
        inputs,
        expected: show(page, buffer.type, cut(expected)),
        actual: show(page, buffer.type, cut(bytes)),
        replay: replay_line(test, element),
      };
    }
    return undefined;
  }

  function judge(page, test, results) {
    const digest = globalThis.vyre.digest_results(results);
    const difference = first_difference(page, test, results);
    if (difference) return { verdict: "differs", digest, message: `${difference.where} differs`, difference };
    if (digest !== test.digest) {
      const message = "every byte is as expected, but the digest is not: the page was changed after it was made";
      return { verdict: "differs", digest, message };
    }
    return { verdict: "equal", digest };
  }

  globalThis.vyre = { ...globalThis.vyre, before, after, show, judge };
})();
