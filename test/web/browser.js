// What tests of pages share: pages written by `vyre lower --to web`, in a real browser without a screen, driven by
// Playwright as a person would drive it.
import { createRequire } from "node:module";
import assert from "node:assert/strict";
import { serve } from "./server.js";

const need = (name) => {
  const value = Deno.env.get(name);
  if (!value) throw new Error(`${name} is not set; ctest sets it`);
  return value;
};
const { chromium } = createRequire(need("VYRE_PLAYWRIGHT"))("playwright-core");
const vyre = `${need("VYRE_BIN")}/vyre`, source = need("VYRE_SOURCE");
const scratch = await Deno.makeTempDir({ prefix: "vyre-page-" });

/** Runs a program to its end; gives what it printed. */
async function output(command, args, { code = 0 } = {}) {
  const ran = await new Deno.Command(command, { args, cwd: source }).output();
  const text = (bytes) => new TextDecoder().decode(bytes);
  assert.equal(ran.code, code, `${command} ${args.join(" ")}\n${text(ran.stderr)}`);
  return text(ran.stdout);
}

/** Writes a page; gives its folder. */
async function page_folder(name, args) {
  const folder = `${scratch}/${name}`;
  await output(vyre, ["lower", "--to", "web", ...args, "-o", folder]);
  return folder;
}

const kPrefix = "globalThis.vyrePage = ", kSuffix = ";\n";
async function read_cases(folder) {
  const text = await Deno.readTextFile(`${folder}/cases.js`);
  assert(text.startsWith(kPrefix) && text.endsWith(kSuffix), "cases.js is one assignment");
  return JSON.parse(text.slice(kPrefix.length, -kSuffix.length));
}

/** SHA-256 of a text, in hexadecimal, by Web Crypto. */
async function sha256(text) {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** A copy of a page whose data `change` has changed: another page, with a digest that fits, or a damaged one. */
async function changed(folder, name, change, { damaged = false } = {}) {
  const copy = `${scratch}/${name}`;
  await Deno.mkdir(copy);
  for await (const file of Deno.readDir(folder)) await Deno.copyFile(`${folder}/${file.name}`, `${copy}/${file.name}`);
  const data = await read_cases(copy);
  change(data);
  const { digest, ...said } = data;
  if (!damaged) data.digest = await sha256(JSON.stringify(said));
  await Deno.writeTextFile(`${copy}/cases.js`, kPrefix + JSON.stringify(data) + kSuffix);
  return copy;
}

const browser = await chromium.launch({
  executablePath: need("VYRE_CHROMIUM"),
  args: ["--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader", "--no-sandbox",
    "--host-resolver-rules=MAP insecure.test 127.0.0.1"],
});

/**
 * Opens a page and waits until it has run. options: file: from the disk; host; path below which it is served; query;
 * meddle: a function that runs in the page before its scripts.
 * Gives { tab, state, verdict, detail, requests }; the tab must be closed.
 */
async function open(folder, options = {}) {
  const tab = await browser.newPage(options.viewport ? { viewport: options.viewport } : {});
  const requests = [], errors = [];
  tab.on("request", (request) => requests.push(request.url()));
  tab.on("pageerror", (error) => errors.push(error.message));
  if (options.meddle) await tab.addInitScript(options.meddle, options.argument);
  const server = options.file ? undefined : await serve(folder, options.path ?? "/");
  const base = options.file ? `file://${folder}/` : `http://${options.host ?? "127.0.0.1"}:${server.port}${options.path ?? "/"}`;
  await tab.goto(`${base}index.html${options.query ?? ""}`);
  if (options.during) await options.during(tab);
  await finished(tab);
  await server?.close();
  assert.deepEqual(errors, [], "the page throws nothing");
  const foreign = requests.filter((url) => !url.startsWith(base) && !url.startsWith("data:") && !url.startsWith("blob:"));
  assert.deepEqual(foreign, [], "the page asks no other host");
  const text = (selector) => tab.textContent(selector);
  return { tab, state: await tab.getAttribute("#state", "data-state"), verdict: await text("#verdict"), detail: await text("#detail") };
}
const finished = (tab) => tab.waitForFunction(
  () => ["passed", "failed", "unavailable"].includes(document.getElementById("state").dataset.state) &&
    !document.getElementById("again").hidden, undefined, { timeout: 600_000 });

/** The table: { name: verdict }. */
const verdicts = (tab) => tab.$$eval("#rows tr", (rows) =>
  Object.fromEntries(rows.map((row) => [row.querySelector(".name").textContent, row.querySelector(".verdict").textContent])));

/** That exactly these cases are not equal: { name: word }. */
async function expect_bad({ tab }, expected) {
  const bad = Object.entries(await verdicts(tab)).filter(([, verdict]) => verdict !== "✓ equal");
  assert.deepEqual(Object.fromEntries(bad), expected);
}

/** Downloads the result as a person does; gives its text after checking the digest that the page shows. */
async function download(tab) {
  const [file] = await Promise.all([tab.waitForEvent("download"), tab.click("#download")]);
  const bytes = await Deno.readFile(await file.path());
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  const hex = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
  assert.equal(await tab.textContent("#result-digest"), hex);
  assert.equal(file.suggestedFilename(), `vyre-result-${hex.slice(0, 16)}.json`);
  return JSON.parse(new TextDecoder().decode(bytes));
}

/** Nothing in a page's WGSL that is optional or leaves room to an implementation: no directive, no float. */
function expect_portable(data) {
  assert(data.modules.length > 0);
  for (const text of data.modules) {
    const code = text.replace(/\/\/[^\n]*/g, "");
    const optional = code.match(/\b(enable|requires|diagnostic|f16|f32|subgroup\w*|dot4\w+|pack4\w+|texture\w*)\b/);
    assert.equal(optional, null, `${optional?.[0]} in a module`);
  }
}

export { assert, changed, download, expect_bad, expect_portable, finished, open, output, page_folder, read_cases, sha256, source, verdicts };
export { vyre };

/** Runs tests { name: function }, says how it went and ends the process. */
export async function run_tests(tests) {
  let failed = 0;
  for (const [name, test] of Object.entries(tests)) {
    const started = performance.now();
    try {
      await test();
      console.log(`ok      ${name} (${Math.round(performance.now() - started)} ms)`);
    } catch (error) {
      ++failed;
      console.log(`FAILED  ${name}\n${error.stack}`);
    }
  }
  await browser.close();
  await Deno.remove(scratch, { recursive: true });
  console.log(`${Object.keys(tests).length - failed} passed, ${failed} failed`);
  Deno.exit(failed === 0 ? 0 : 1);
}
