// The second judge of WGSL: naga, as wgpu has it in Deno. Tint judges every module that the backend webgpu runs in Dawn.
//
//   deno run --unstable-webgpu --allow-run naga.js [--pipelines] [--barriers N] COMMAND...
//
// COMMAND is write_wgsl with what it wants: a module a line, as JSON. Each becomes a shader module of a device with default
// limits and no features; with --pipelines, a compute pipeline as well, which takes Vulkan's driver along, unless its
// workgroups are larger than the device's. What is refused is printed with naga's message. With --barriers, at least N of the modules must have one, lest nothing was shown
// of those. Before anything else the judge must accept a good shader and refuse bad ones: one that cannot refuse is none.
// Exit 0: all are accepted; 1: some are not, or too few came.

const kGood = `
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
var<workgroup> scratch: array<u32, 4>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_id) id: vec3<u32>) {
  scratch[id.x] = id.x;
  storageBarrier(); workgroupBarrier();
  out[id.x] = scratch[3u - id.x];
}`;
const kBad = {
  "a value of another type": kGood.replace("= id.x;", "= 1.5;"),
  "a constant shift of the width": kGood.replace("= id.x;", "= 1u << 32u;"),
  "a constant division by zero": kGood.replace("= id.x;", "= 1u / 0u;"),
  "a store to what is read only": kGood.replace("read_write", "read"),
  "an unknown name": kGood.replace("3u - id.x", "3u - nobody"),
  "an optional feature": "enable f16;" + kGood,
  "no entry": kGood.replace("fn main", "fn other"),
};

/** What the device has against a shader: null, or its words. */
async function refusal(device, code, pipeline) {
  const scopes = ["validation", "out-of-memory", "internal"];
  for (const scope of scopes) device.pushErrorScope(scope);
  let thrown = null, module = null;
  try {
    module = device.createShaderModule({ code });
    if (pipeline) device.createComputePipeline({ layout: "auto", compute: { module, entryPoint: "main" } });
  } catch (error) {
    thrown = error;
  }
  const errors = [thrown, ...(await Promise.all(scopes.map(() => device.popErrorScope())))];
  const messages = errors.filter((error) => error !== null).map((error) => error.message);
  if (module !== null) {
    for (const said of (await module.getCompilationInfo()).messages) {
      if (said.type === "error") messages.push(`line ${said.lineNum}: ${said.message}`);
    }
  }
  return messages.length > 0 ? messages[0].trim() : null;
}

/** Whether the judge tells good from bad. */
async function is_a_judge(device) {
  const good = await refusal(device, kGood, true);
  if (good !== null) console.log(`the judge refuses a good shader: ${good}`);
  let right = good === null;
  for (const [name, code] of Object.entries(kBad)) {
    if ((await refusal(device, code, true)) !== null) continue;
    console.log(`the judge accepts a bad shader: ${name}`);
    right = false;
  }
  return right;
}

/** The lines of a stream of bytes. */
async function* lines_of(stream) {
  let rest = "";
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop();
    yield* lines;
  }
  if (rest !== "") throw new Error(`the last line has no end: ${rest.slice(0, 100)}`);
}

function parse(args) {
  const options = { pipelines: false, barriers: 0, command: [] };
  for (let i = 0; i < args.length; ++i) {
    if (args[i] === "--pipelines") {
      options.pipelines = true;
    } else if (args[i] === "--barriers") {
      options.barriers = Number(args[++i]);
    } else {
      options.command = args.slice(i);
      break;
    }
  }
  return options;
}

async function main() {
  const options = parse(Deno.args);
  if (options.command.length === 0) {
    console.log("usage: naga.js [--pipelines] [--barriers N] COMMAND...");
    return 2;
  }
  const adapter = await navigator.gpu.requestAdapter();
  if (adapter === null) {
    console.log("wgpu has no adapter here");
    return 1;
  }
  const device = await adapter.requestDevice();
  if (!(await is_a_judge(device))) return 1;

  const [program, ...rest] = options.command;
  const child = new Deno.Command(program, { args: rest, stdout: "piped", stderr: "inherit" }).spawn();
  const most = device.limits.maxComputeInvocationsPerWorkgroup;
  let judged = 0, pipelines = 0, refused = 0, barriers = 0, longest = 0;
  const started = performance.now();
  for await (const line of lines_of(child.stdout)) {
    const { name, threads, text } = JSON.parse(line);
    const pipeline = options.pipelines && threads <= most;
    ++judged;
    pipelines += pipeline;
    if (text.includes("workgroupBarrier()")) ++barriers;
    longest = Math.max(longest, text.length);
    const why = await refusal(device, text, pipeline);
    if (why === null) continue;
    if (++refused <= 20) console.log(`${name}: refused\n${why}\n`);
  }
  const { code } = await child.status;
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`naga in Deno ${Deno.version.deno} on ${adapter.info.description}: ${judged} modules, ${pipelines} ` +
              `pipelines, ${barriers} with barriers, the longest of ${longest} characters: ${refused} refused, ${seconds} s`);
  if (code !== 0) console.log(`${program} ended with ${code}`);
  if (barriers < options.barriers) console.log(`fewer than ${options.barriers} have barriers`);
  return code === 0 && judged > 0 && refused === 0 && barriers >= options.barriers ? 0 : 1;
}

Deno.exit(await main());
