// Runs pages, written by `vyre lower --to web`, without a browser: under Deno, whose WebGPU is wgpu and whose WGSL
// compiler is naga. It loads the page's own scripts but for the one that draws.
//
//   deno run --unstable-webgpu --allow-read deno_run.js FOLDER...
//
// Prints what is wrong, and at the end "N passed, M failed"; exits with 1 unless all passed and there was something.
const scripts = ["digest.js", "judge.js", "runner.js", "cases.js"];

let passed = 0, failed = 0;
for (const folder of Deno.args) {
  for (const script of scripts) (0, eval)(await Deno.readTextFile(`${folder}/${script}`));
  const { vyre, vyrePage: page } = globalThis;
  const connect = () => vyre.open(navigator.gpu);
  const first = await connect();
  console.log(`${page.title}: ${Object.values(first.adapter).filter((text) => text).join(", ")}`);
  first.device.destroy();
  const verdicts = await vyre.run(page, connect, {
    on_verdict(test, verdict) {
      if (verdict.verdict === "equal") return;
      console.log(`${test.name}: ${vyre.kVerdicts[verdict.verdict].text}: ${verdict.message}`);
      if (verdict.difference) console.log(JSON.stringify(verdict.difference, null, 2));
    },
  });
  const { counts } = vyre.summarize(page, verdicts);
  passed += counts.equal;
  failed += verdicts.length - counts.equal;
}
console.log(`${passed} passed, ${failed} failed`);
Deno.exit(passed > 0 && failed === 0 ? 0 : 1);
