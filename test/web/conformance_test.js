// The conformance page in a browser: that it passes, leaves no operation out, and is small enough to be sent.
//
//   deno run --allow-all conformance_test.js     (the environment: test/web/CMakeLists.txt)
//
// Oracle: the library's own list of operations, and a changed byte that must be reported by the token of its case, of which
// `vyre-conform replay` must say the same.
import {
  assert, changed, download, expect_bad, expect_portable, open, output, page_folder, read_cases, run_tests, vyre,
} from "./browser.js";

const folder = await page_folder("conformance", ["--conformance"]);
const data = await read_cases(folder);

const tests = {
  async "has every operation, below 16 MB, and nothing optional"() {
    const { operations } = JSON.parse(await output(vyre, ["ops", "--json"]));
    const names = new Set(data.cases.map((test) => test.name));
    for (const { id, version, category } of operations) {
      // Bytes of approximate ones may differ, so a page that compares bytes leaves them out.
      const strict = !id.endsWith("_approx");
      if (category === "A") assert.equal(names.has(`${id}@${version}`), strict, id);
    }
    const subject = (name) => `ir.operators/${name}`;
    for (const type of ["f16", "bf16", "f32"]) {
      for (const operator of ["fadd", "fsub", "fmul", "fdiv", "fsqrt", "fmul_add", "fmin", "fmax", "fround"])
        assert(names.has(subject(`${operator}.${type}`)), `${operator}.${type}`);
      assert(names.has(`ir.casts/cast.${type}.u32.trunc`), type);
    }
    assert.deepEqual(data.left_out, []);
    assert((await Deno.stat(`${folder}/cases.js`)).size < 16_000_000);
    expect_portable(data);
  },

  async "passes"() {
    const { tab, state, verdict, detail } = await open(folder);
    assert.equal(state, "passed", `${verdict} ${detail}`);
    const result = await download(tab);
    await tab.close();
    assert.equal(result.counts.equal, data.cases.length);
    assert(data.cases.length > 500);
    for (const test of result.cases) assert(test.instances > 0, `${test.name} compares nothing`);
    console.log(`        ${detail} ${result.seconds} s`);
  },

  async "a wrong result is reported by its operands, and by the token that replays it"() {
    const name = "ir.operators/fmul_add.f32", place = 700;
    let operands;
    const copy = await changed(folder, "changed", (page) => {
      const test = page.cases.find((candidate) => candidate.name === name);
      page.cases = [test];
      const whole = (pieces) => pieces.map((piece) => atob(page.pieces[piece])).join("");
      const bits = (text) => Array.from(text.slice(4 * place, 4 * place + 4), (byte) => byte.charCodeAt(0).toString(16).padStart(2, "0"))
        .reverse().join("");
      operands = test.buffers.filter((buffer) => !buffer.expected).map((buffer) => bits(whole(buffer.input)));
      const output = test.buffers.find((buffer) => buffer.expected);
      const bytes = Array.from(whole(output.expected), (byte) => byte.charCodeAt(0));
      bytes[4 * place] ^= 1;
      output.expected = [page.pieces.push(btoa(String.fromCharCode(...bytes))) - 1];
    });
    const opened = await open(copy);
    await expect_bad(opened, { [name]: "✗ different" });
    const failure = await opened.tab.textContent("#failure-list");
    assert(failure.includes(`out[${place}]`), failure);
    for (const operand of operands) assert(failure.includes(`0x${operand}`), `${operand} is not in: ${failure}`);
    const token = failure.match(/vyre-conform replay '([^']+)' --backend webgpu/)[1];
    await opened.tab.close();
    const replayed = await output(`${vyre}-conform`, ["replay", token, "--backend", "native"]);
    for (const operand of operands) assert(replayed.includes(`0x${operand}`), `${operand} is not in: ${replayed}`);
  },
};

await run_tests(tests);
