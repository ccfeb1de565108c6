// The runner: dispatches the cases of a page through WebGPU and judges what comes back. It knows no document, so it
// runs in a page, in a worker and in any other engine that has navigator.gpu; it is a plain script, so that it works
// in a page that was opened from a disk, where browsers load no modules.
//
// A case is one dispatch: a module in WGSL, its buffers with what they hold before, and for those that the program may
// write what they must hold after. A case passes when every byte is as expected and the digest of all results is the
// one that was made with the page. Whatever else happens is the verdict of the case that caused it, in the words of the
// implementation: a shader that is refused, a limit, a lost device, no answer. Nothing waits without an end.
//
// Only what every WebGPU device has is used: no feature is asked for, and no limit above the defaults.
(() => {
  "use strict";

  /** What came of a case; `text` is for people. */
  const kVerdicts = {
    equal: { text: "equal", good: true },
    differs: { text: "different", good: false },
    refused: { text: "refused", good: false },
    lost: { text: "device lost", good: false },
    silent: { text: "no answer", good: false },
    skipped: { text: "not run", good: false },
  };

  /** A verdict other than `equal` or `differs`, on its way up. */
  class Trouble extends Error {
    constructor(verdict, message) {
      super(message);
      this.verdict = verdict;
    }
  }

  /** Waits, but not for ever: a driver may never come back. */
  async function in_time(promise, wait_ms) {
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Trouble("silent", `no answer within ${wait_ms / 1000} s`)), wait_ms);
    });
    try {
      return await Promise.race([promise, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * What a rejected promise of the device means. A device that is lost refuses what it was doing, and says only then
   * that it is lost; so where the refusal may come from that, its word is waited for a moment.
   */
  async function refusal(gate, error) {
    const heard = gate.lost.catch((trouble) => trouble);
    const moment = new Promise((resolve) => setTimeout(resolve, 1000));
    const lost = error.reason === "validation" ? undefined : await Promise.race([heard, moment]);
    return lost ?? new Trouble("refused", error.message || String(error));
  }

  /** Waits for a device's answer, or for its loss. Throws Trouble. */
  async function answer(gate, promise) {
    try {
      return await in_time(Promise.race([promise, gate.lost]), gate.wait_ms);
    } catch (error) {
      throw error instanceof Trouble ? error : await refusal(gate, error);
    }
  }

  /** Makes what `make` makes, and throws what the implementation has against it. */
  async function checked(gate, make) {
    const scopes = ["validation", "out-of-memory", "internal"];
    for (const scope of scopes) gate.device.pushErrorScope(scope);
    let made, thrown;
    try {
      made = make();
    } catch (error) {
      thrown = error;
    }
    const errors = await answer(gate, Promise.all(scopes.map(() => gate.device.popErrorScope())));
    const error = thrown ?? errors.find((found) => found);
    if (error) throw new Trouble("refused", error.message || String(error));
    return made;
  }

  const entry_type = (buffer) => (buffer.writable ? "storage" : "read-only-storage");

  /** A case's code, compiled. */
  async function compile(gate, page, test) {
    const { device } = gate;
    const COMPUTE = globalThis.GPUShaderStage.COMPUTE;
    const entries = test.buffers.map((buffer, k) => ({
      binding: k, visibility: COMPUTE, buffer: { type: entry_type(buffer) },
    }));
    entries.push({ binding: test.buffers.length, visibility: COMPUTE, buffer: { type: "uniform" } });
    const { layout, module } = await checked(gate, () => ({
      layout: device.createBindGroupLayout({ entries }),
      module: device.createShaderModule({ code: page.modules[test.module] }),
    }));
    const info = await answer(gate, module.getCompilationInfo?.() ?? Promise.resolve({ messages: [] }));
    const wrong = info.messages.find((message) => message.type === "error");
    if (wrong) throw new Trouble("refused", `line ${wrong.lineNum}: ${wrong.message}`);
    const pipeline_layout = await checked(gate, () => device.createPipelineLayout({ bindGroupLayouts: [layout] }));
    const pipeline = await answer(gate, device.createComputePipelineAsync({
      layout: pipeline_layout, compute: { module, entryPoint: page.entry },
    }));
    return { layout, pipeline };
  }

  /** A device buffer has at least one element, and whole words. */
  function device_size(page, buffer) {
    return Math.ceil(Math.max(buffer.bytes, page.types[buffer.type].bytes) / 4) * 4;
  }

  /** Runs a compiled case. Gives the results: of each buffer that the program may write, its bytes. */
  async function dispatch(gate, page, test, code) {
    const { device } = gate;
    const { STORAGE, UNIFORM, COPY_SRC, COPY_DST, MAP_READ } = globalThis.GPUBufferUsage;
    const inputs = test.buffers.map((buffer) => globalThis.vyre.before(page, buffer));
    const made = [];
    const make = (size, usage) => {
      made.push(device.createBuffer({ size, usage }));
      return made.at(-1);
    };
    try {
      const { staging, outputs } = await checked(gate, () => {
        const encoder = device.createCommandEncoder();
        const entries = [], outputs = [];
        let results = 0;
        test.buffers.forEach((buffer, k) => {
          const size = device_size(page, buffer);
          const memory = make(size, STORAGE | COPY_SRC | COPY_DST);
          const bytes = new Uint8Array(size);
          bytes.set(inputs[k]);
          device.queue.writeBuffer(memory, 0, bytes);
          entries.push({ binding: k, resource: { buffer: memory } });
          if (!buffer.expected) return;
          outputs.push({ buffer, memory, size, at: results });
          results += size;
        });
        // The numbers of elements, four a vector; there is at least one vector.
        const words = Math.max(4, Math.ceil(test.buffers.length / 4) * 4);
        const counts = new Uint32Array(words);
        test.buffers.forEach((buffer, k) => (counts[k] = buffer.count));
        const uniform = make(4 * words, UNIFORM | COPY_DST);
        device.queue.writeBuffer(uniform, 0, counts);
        entries.push({ binding: test.buffers.length, resource: { buffer: uniform } });

        const pass = encoder.beginComputePass();
        pass.setPipeline(code.pipeline);
        pass.setBindGroup(0, device.createBindGroup({ layout: code.layout, entries }));
        pass.dispatchWorkgroups(...test.groups);
        pass.end();
        const staging = make(Math.max(4, results), MAP_READ | COPY_DST);
        for (const { memory, at, size } of outputs) encoder.copyBufferToBuffer(memory, 0, staging, at, size);
        device.queue.submit([encoder.finish()]);
        return { staging, outputs };
      });
      await answer(gate, staging.mapAsync(globalThis.GPUMapMode.READ));
      const mapped = new Uint8Array(staging.getMappedRange());
      return outputs.map(({ buffer, at }) => ({ name: buffer.name, bytes: mapped.slice(at, at + buffer.bytes) }));
    } finally {
      for (const buffer of made) buffer.destroy();
    }
  }

  /** What `error` says of a case. A fault of this script or of the page's data is no verdict, and is thrown on. */
  function verdict_of(error) {
    if (!(error instanceof Trouble)) throw error;
    return { verdict: error.verdict, message: error.message };
  }

  /**
   * A device, and what is known of it. Throws an Error that says what is missing and what to do.
   * Every call gives a device of its own.
   */
  async function open(gpu) {
    if (!gpu) {
      throw new Error(globalThis.isSecureContext === false
        ? "this address is no secure context, where browsers have no WebGPU: use https, http://localhost, or open the file"
        : "this browser has no WebGPU (navigator.gpu): use a newer one, or enable WebGPU in its settings");
    }
    const adapter = await gpu.requestAdapter();
    if (!adapter) throw new Error("WebGPU has no adapter here: the GPU, its driver or the browser's settings refuse it");
    const device = await adapter.requestDevice();
    const info = adapter.info ?? {};
    return {
      device,
      adapter: {
        vendor: info.vendor ?? "", architecture: info.architecture ?? "", device: info.device ?? "",
        description: info.description ?? "",
      },
    };
  }

  /** Everything that is waited for on one device, and what ends the wait. */
  function gate_of(device, wait_ms) {
    const lost = device.lost.then((info) => {
      throw new Trouble("lost", `the device is lost: ${info.message || info.reason || "no reason given"}`);
    });
    lost.catch(() => {});  // it may be lost after the last wait
    return { device, wait_ms, lost };
  }

  const kAhead = 3;      // modules that are compiled while a case of another runs
  const kMostLost = 8;   // devices, until the rest is not run

  /** The code of the cases that come next, compiled or being compiled, on one device. */
  class Workshop {
    constructor(gate, page) {
      this.gate = gate;
      this.page = page;
      this.codes = new Map();  // by module
    }
    /** Begins what case k and those after it need, and lets go what none of them does. */
    prepare(k, ahead) {
      const { cases } = this.page;
      const wanted = new Set();
      for (let next = k; next < cases.length; ++next) {
        const { module } = cases[next];
        if (!wanted.has(module) && wanted.size > ahead) break;
        wanted.add(module);
        if (!this.codes.has(module)) this.codes.set(module, this.begin(cases[next]));
      }
      for (const module of this.codes.keys()) {
        if (!wanted.has(module)) this.codes.delete(module);
      }
    }
    begin(test) {
      const started = performance.now();
      const code = compile(this.gate, this.page, test).then((made) => ({ made, ms: performance.now() - started }));
      code.catch(() => {});  // it is awaited when it is the case's turn
      return code;
    }
    /** Runs case k, whose code was prepared. Gives its verdict. */
    async run(k) {
      const test = this.page.cases[k], started = performance.now();
      let compile_ms = 0;
      try {
        const { made, ms } = await this.codes.get(test.module);
        compile_ms = ms;
        const running = performance.now();
        const results = await dispatch(this.gate, this.page, test, made);
        const run_ms = performance.now() - running;
        return { ...globalThis.vyre.judge(this.page, test, results), results, compile_ms, run_ms };
      } catch (error) {
        return { ...verdict_of(error), compile_ms, run_ms: performance.now() - started };
      }
    }
    close() {
      this.gate.device.destroy();
    }
  }

  /**
   * Runs the cases of a page one after another.
   *
   * page      as written by `vyre lower --to web` (cases.js)
   * connect   gives { device }, anew after a device was lost
   * options   on_verdict(test, verdict, number): after each case. stop(): true ends the run.
   *           wait_ms: how long an answer may take; a minute.
   * Gives     the verdicts, by case: { verdict, compile_ms, run_ms, results?, digest?, message?, difference? }; compile_ms
   *           is of the module, which several cases may share.
   * Throws    what connect throws at first, and Errors for data that no page has, or that was changed after it was made.
   */
  async function run(page, connect, options = {}) {
    const { on_verdict = () => {}, stop = () => false, wait_ms = 60_000 } = options;
    const enter = async () => new Workshop(gate_of((await in_time(connect(), wait_ms)).device, wait_ms), page);
    const digest = await globalThis.vyre.digest_page(page);
    if (digest !== page.digest) {
      throw new Error(`the page is damaged: cases.js was changed after it was made; its digest is ${digest}, not ${page.digest}`);
    }
    let shop = await enter();
    let lost = 0, ended = "";
    const renew = async () => {
      shop.close();
      if (++lost > kMostLost) return `not run: ${lost} devices were lost before`;
      try {
        shop = await enter();
        return "";
      } catch (error) {
        return `not run: there is no device any more: ${error.message}`;
      }
    };
    const is_end = ({ verdict }) => verdict === "lost" || verdict === "silent";
    const attempt = async (k) => {
      shop.prepare(k, kAhead);
      let verdict = await shop.run(k);
      if (!is_end(verdict)) return verdict;
      // Another case's code may have been compiled meanwhile: only what goes wrong alone is this one's fault.
      ended = await renew();
      if (ended) return verdict;
      shop.prepare(k, 0);
      verdict = await shop.run(k);
      if (is_end(verdict)) ended = await renew();
      return verdict;
    };

    const verdicts = [];
    for (let k = 0; k < page.cases.length; ++k) {
      if (!ended && stop()) ended = "not run: stopped";
      const verdict = ended ? { verdict: "skipped", message: ended, compile_ms: 0, run_ms: 0 } : await attempt(k);
      verdicts.push(verdict);
      on_verdict(page.cases[k], verdict, k);
    }
    shop.close();
    return verdicts;
  }

  /** The counts of a run, by verdict, and whether all is as it must be. */
  function summarize(page, verdicts) {
    const counts = Object.fromEntries(Object.keys(kVerdicts).map((name) => [name, 0]));
    let instances = 0;
    verdicts.forEach((verdict, k) => {
      ++counts[verdict.verdict];
      if (verdict.verdict === "equal") instances += page.cases[k].instances;
    });
    return { counts, instances, good: page.cases.length > 0 && counts.equal === page.cases.length };
  }

  globalThis.vyre = { ...globalThis.vyre, kVerdicts, open, run, summarize };
})();
