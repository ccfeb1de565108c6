// A page of the examples in a browser: that it passes, wherever it is served from, and that whatever is wrong shows.
//
//   deno run --allow-all programs_test.js        (the environment: test/web/CMakeLists.txt)
//
// Oracle: what `vyre run` prints on another backend for the same inputs, SHA-256 by Web Crypto, and changes made here to a
// page that passes, each of which must show at its place and nowhere else.
import {
  assert, changed, download, expect_bad, expect_portable, finished, open, output, page_folder, read_cases, run_tests, sha256,
  source, verdicts,
} from "./browser.js";

/** The examples that have run directives, and how many. A page runs programs; pipelines and graphs are run by their host. */
const examples = [];
let runs = 0;
for await (const file of Deno.readDir(`${source}/examples`)) {
  if (!file.name.endsWith(".vyre")) continue;
  const text = await Deno.readTextFile(`${source}/examples/${file.name}`);
  if (/^(pipeline|graph) /m.test(text)) continue;
  const found = text.match(/^ *\/\/ run:/gm);
  if (found) examples.push(`examples/${file.name}`);
  runs += found?.length ?? 0;
}
examples.sort();
const folder = await page_folder("examples", examples);
const data = await read_cases(folder);
const kMatrix = data.cases.find((test) => test.name.startsWith("examples/transpose.vyre")).name;
// What is wrong is shown on a page of a few cases.
const few = await changed(folder, "few", (page) => {
  page.cases = page.cases.filter((test, k) => k < 4 || test.name === kMatrix);
});
const few_data = await read_cases(few);

const tests = {
  async "passes, and the result is a file with the digest shown"() {
    const { tab, state, verdict } = await open(folder);
    assert.equal(state, "passed", verdict);
    assert.equal(data.cases.length, runs);
    assert.match(verdict, new RegExp(`^✓ PASS: ${runs} of ${runs} runs gave exactly the reference's bytes on .*swiftshader`, "i"));
    assert.match(await tab.textContent("#about"), /A pass means that each of them wrote, byte for byte/);
    assert.deepEqual(Object.values(await verdicts(tab)), Array(runs).fill("✓ equal"));
    const result = await download(tab);
    await tab.close();
    assert.equal(result.schema, "vyre.page-result/1");
    assert.equal(result.passed, true);
    assert.deepEqual(result.counts, { equal: runs, differs: 0, refused: 0, lost: 0, silent: 0, skipped: 0 });
    assert.equal(result.page, data.digest);
    assert.match(result.browser, /Chrome/);
    assert.match(Object.values(result.adapter).join(" "), /swiftshader/i);
    assert.deepEqual(result.cases.map((test) => test.name), data.cases.map((test) => test.name));
    for (const test of result.cases) assert.equal(test.digest, test.expected_digest, test.name);
  },

  async "its digests are those of `vyre run`, by the line that the page gives to run a case again"() {
    for (const test of data.cases) {
      const line = test.replay.command.replace(/^vyre /, `"$VYRE_BIN/vyre" `).replace("reference,webgpu", "reference,native");
      const rows = (await output("bash", ["-c", line])).trim().split("\n");
      assert.equal(rows.pop(), "equal: 2 backends", line);
      assert.deepEqual(rows.map((row) => row.split(/ +/)[1]), [test.digest, test.digest], line);
    }
  },

  async "works from a disk, and under any path"() {
    for (const options of [{ file: true }, { path: "/some/where/else/" }]) {
      const { tab, state, verdict } = await open(folder, options);
      await tab.close();
      assert.equal(state, "passed", verdict);
    }
  },

  async "asks for no feature and no limit, and its WGSL for nothing optional"() {
    expect_portable(data);
    const meddle = () => {
      globalThis.asked = [];
      const request = GPUAdapter.prototype.requestDevice;
      GPUAdapter.prototype.requestDevice = function (...given) {
        globalThis.asked.push(given);
        return request.apply(this, given);
      };
    };
    const { tab, state } = await open(folder, { meddle });
    const asked = await tab.evaluate(() => globalThis.asked);
    await tab.close();
    assert.equal(state, "passed");
    assert.deepEqual(asked, [[]]);
  },

  async "one expected byte that is changed is reported by its index"() {
    let element;
    const copy = await changed(few, "byte", (page) => {
      const buffer = page.cases.find((test) => test.name === kMatrix).buffers.find((candidate) => candidate.expected);
      assert.equal(buffer.expected.length, 1);
      const bytes = Uint8Array.from(atob(page.pieces[buffer.expected[0]]), (letter) => letter.charCodeAt(0));
      element = 4;
      bytes[4 * element + 1] ^= 0x80;
      buffer.expected = [page.pieces.push(btoa(String.fromCharCode(...bytes))) - 1];
    });
    const opened = await open(copy);
    assert.equal(opened.state, "failed");
    await expect_bad(opened, { [kMatrix]: "✗ different" });
    const failure = await opened.tab.textContent("#failure-list");
    // The transpose of 1 2 3, 4 5 6 has 3 there.
    for (const part of [kMatrix, `output[${element}]`, "0x00008003 (32771)", "0x00000003 (3)", "vyre run examples/transpose.vyre"]) {
      assert(failure.includes(part), `${part} is not in: ${failure}`);
    }
    const first = await opened.tab.$eval("#rows tr .name", (cell) => cell.textContent);
    assert.equal(first, kMatrix, "what is wrong stands first");
    const result = await download(opened.tab);
    await opened.tab.close();
    assert.equal(result.passed, false);
    assert.equal(result.cases.filter((test) => test.verdict !== "equal").length, 1);
  },

  async "a digest that is changed shows as well"() {
    const copy = await changed(few, "digest", (page) => (page.cases[1].digest = "0".repeat(64)));
    const opened = await open(copy);
    await expect_bad(opened, { [data.cases[1].name]: "✗ different" });
    await opened.tab.close();
  },

  async "damaged data is said to be damaged"() {
    const copy = await changed(few, "damaged", (page) => (page.cases[0].buffers[0].bytes += 4));
    const { tab, state, detail } = await open(copy);
    await tab.close();
    assert.equal(state, "unavailable");
    assert.match(detail, /page is damaged: a buffer has fewer bytes/);
  },

  async "whatever is changed in cases.js is noticed before anything runs"() {
    const { digest, ...said } = data;
    assert.equal(digest, await sha256(JSON.stringify(said)));
    const other = (text) => (text[0] === "A" ? "B" : "A") + text.slice(1);
    const buffer = few_data.cases[0].buffers.find((candidate) => candidate.input.length > 0);
    const changes = {
      input: (page) => (page.pieces[buffer.input[0]] = other(page.pieces[buffer.input[0]])),
      module: (page) => (page.modules[page.cases[0].module] += " "),
      source: (page) => (page.sources[page.cases[0].source] += " "),
      name: (page) => (page.cases[0].name += "0"),
      expected: (page) => (page.cases[0].digest = "0".repeat(64)),
      page: (page) => (page.digest = "0".repeat(64)),
    };
    for (const [what, change] of Object.entries(changes)) {
      const { tab, state, verdict, detail } = await open(await changed(few, `damaged-${what}`, change, { damaged: true }));
      assert.equal(state, "unavailable", what);
      assert.equal(verdict, "✗ NOT RUN: this page is damaged");
      assert.match(detail, /cases\.js was changed after it was made; its digest is [0-9a-f]{64}, not [0-9a-f]{64}/);
      assert.deepEqual(new Set(Object.values(await verdicts(tab))), new Set(["waiting"]), what);
      await tab.close();
    }
  },

  async "a case opens on its source and values"() {
    const copy = await changed(few, "opened", (page) => {
      const test = page.cases.find((candidate) => candidate.name === kMatrix);
      const output = test.buffers.find((candidate) => candidate.expected);
      const bytes = Uint8Array.from(atob(page.pieces[output.expected[0]]), (letter) => letter.charCodeAt(0));
      bytes[4] ^= 0x80;
      output.expected = [page.pieces.push(btoa(String.fromCharCode(...bytes))) - 1];
    });
    for (const [folder, wrong] of [[few, []], [copy, ["0x00000004 (4)"]]]) {
      const { tab } = await open(folder);
      const box = tab.locator("#rows > tr", { hasText: kMatrix }).locator(".case");
      assert.equal(await box.textContent(), "", "nothing is made before it is asked for");
      await tab.click(`summary:has-text("${kMatrix}")`);
      await box.locator("table").waitFor();
      assert.equal(await box.locator("pre").textContent(), await Deno.readTextFile(`${source}/examples/transpose.vyre`));
      // The transpose of 1 2 3, 4 5 6 is 1 4, 2 5, 3 6.
      const columns = await box.locator("thead th").allTextContents();
      assert.deepEqual(columns, ["element", "input input", "output before", "output expected", "output actual", "params input"]);
      const cells = await box.locator("tbody tr").nth(1).locator("td").allTextContents();
      assert.deepEqual([cells[0], cells[1], cells[4]], ["1", "0x00000002 (2)", "0x00000004 (4)"]);
      assert.equal(cells[3] === cells[4], wrong.length === 0);
      assert.deepEqual(await box.locator("td.bad").allTextContents(), wrong);
      assert.equal(await tab.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
      await tab.close();
    }
  },

  async "a shader that is refused is the verdict of its case, in the browser's words"() {
    const copy = await changed(few, "refused", (page) => {
      page.modules.push("@compute @workgroup_size(1) fn main() { nonsense; }");
      page.cases[2].module = page.modules.length - 1;
    });
    const opened = await open(copy);
    await expect_bad(opened, { [data.cases[2].name]: "✗ refused" });
    assert.match(await opened.tab.textContent("#failure-list"), /nonsense/);
    await opened.tab.close();
  },

  async "a limit that a case goes beyond is its verdict"() {
    const copy = await changed(few, "limit", (page) => (page.cases[2].groups = [65536, 1, 1]));
    const opened = await open(copy);
    await expect_bad(opened, { [data.cases[2].name]: "✗ refused" });
    assert.match(await opened.tab.textContent("#failure-list"), /65535/);
    await opened.tab.close();
  },

  async "a case that loses the device is found, and the others run on another device"() {
    const meddle = (marker) => {
      const compute = GPUDevice.prototype.createShaderModule, submit = GPUQueue.prototype.submit;
      const doomed = new WeakSet();
      let device;
      GPUDevice.prototype.createShaderModule = function (descriptor) {
        device = this;
        if (descriptor.code.includes(marker)) doomed.add(this);
        return compute.call(this, descriptor);
      };
      GPUQueue.prototype.submit = function (buffers) {
        submit.call(this, buffers);
        if (doomed.has(device)) device.destroy();
      };
    };
    const copy = await changed(few, "lost", (page) => {
      page.modules.push(page.modules[page.cases[3].module] + "// fatal");
      page.cases[3].module = page.modules.length - 1;
    });
    const opened = await open(copy, { meddle, argument: "// fatal" });
    await expect_bad(opened, { [data.cases[3].name]: "✗ device lost" });
    assert.equal(opened.state, "failed");
    await opened.tab.close();
  },

  async "a device that never answers ends in a verdict"() {
    const meddle = (marker) => {
      const compile = GPUDevice.prototype.createComputePipelineAsync, module = GPUDevice.prototype.createShaderModule;
      const marked = new WeakSet();
      GPUDevice.prototype.createShaderModule = function (descriptor) {
        const made = module.call(this, descriptor);
        if (descriptor.code.includes(marker)) marked.add(made);
        return made;
      };
      GPUDevice.prototype.createComputePipelineAsync = function (descriptor) {
        if (marked.has(descriptor.compute.module)) return new Promise(() => {});
        return compile.call(this, descriptor);
      };
    };
    const copy = await changed(few, "silent", (page) => {
      page.modules.push(page.modules[page.cases[3].module] + "// endless");
      page.cases[3].module = page.modules.length - 1;
    });
    const opened = await open(copy, { meddle, argument: "// endless", query: "?wait=5" });
    await expect_bad(opened, { [data.cases[3].name]: "✗ no answer" });
    assert.match(await opened.tab.textContent("#failure-list"), /no answer within 5 s/);
    await opened.tab.close();
  },

  async "without WebGPU, an adapter or a device it says what is missing"() {
    const cases = [
      [() => Object.defineProperty(Navigator.prototype, "gpu", { value: undefined }), {}, /has no WebGPU/],
      [() => (GPU.prototype.requestAdapter = () => Promise.resolve(null)), {}, /no adapter/],
      [() => (GPUAdapter.prototype.requestDevice = () => Promise.reject(new Error("out of devices"))), {}, /out of devices/],
      [() => (GPU.prototype.requestAdapter = () => new Promise(() => {})), { query: "?wait=1" }, /no answer within 1 s/],
      [undefined, { host: "insecure.test" }, /secure context/],
    ];
    for (const [meddle, options, message] of cases) {
      const { tab, state, verdict, detail } = await open(folder, { meddle, ...options });
      await tab.close();
      assert.equal(state, "unavailable");
      assert.equal(verdict, "✗ NOT RUN: this page needs WebGPU, and cannot use it here");
      assert.match(detail, message);
    }
  },

  async "stops when asked, says what was not run, and runs again"() {
    // The first dispatch answers when the button was pressed, and not before.
    const meddle = () => {
      const map = GPUBuffer.prototype.mapAsync, pressed = new Promise((resolve) => (globalThis.release = resolve));
      GPUBuffer.prototype.mapAsync = async function (...given) {
        await pressed;
        return map.apply(this, given);
      };
    };
    const during = async (tab) => {
      await tab.click("#stop");
      await tab.evaluate(() => globalThis.release());
    };
    const opened = await open(folder, { meddle, during });
    assert.equal(opened.state, "failed");
    assert.deepEqual(Object.values(await verdicts(opened.tab)).filter((verdict) => verdict !== "✗ not run"), ["✓ equal"]);
    assert.equal(opened.detail, `Of ${runs} dispatches: 1 equal, ${runs - 1} not run.`);
    await opened.tab.click("#again");
    await opened.tab.waitForFunction(() => document.getElementById("again").hidden);
    await finished(opened.tab);
    assert.equal(await opened.tab.getAttribute("#state", "data-state"), "passed");
    await opened.tab.close();
  },

  async "fits a phone, in light and dark"() {
    const { tab } = await open(folder, { viewport: { width: 320, height: 640 } });
    const colours = [];
    for (const colorScheme of ["light", "dark"]) {
      await tab.emulateMedia({ colorScheme });
      assert.equal(await tab.evaluate(() => document.documentElement.scrollWidth), 320);
      colours.push(await tab.evaluate(() => getComputedStyle(document.body).backgroundColor));
    }
    await tab.close();
    assert.deepEqual(colours, ["rgb(255, 255, 255)", "rgb(20, 23, 26)"]);
  },
};

await run_tests(tests);
