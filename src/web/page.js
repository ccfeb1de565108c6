// The page around the runner: it starts the run, shows how far it is, what is wrong first, and gives the result as a file.
(() => {
  "use strict";

  const { vyre, vyrePage: page } = globalThis;  // the scripts before this one
  const at = (id) => document.getElementById(id);
  const count = (number) => number.toLocaleString("en");
  const plural = (number, word) => `${count(number)} ${word}${number === 1 ? "" : word.endsWith("ch") ? "es" : "s"}`;

  function element(tag, text, className) {
    const made = document.createElement(tag);
    if (text !== undefined) made.textContent = text;
    if (className) made.className = className;
    return made;
  }

  /** "42 s", "3 min 10 s" */
  function duration(seconds) {
    const whole = Math.max(0, Math.round(seconds));
    return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
  }

  function say(state, verdict, detail) {
    at("state").dataset.state = state;
    at("verdict").textContent = verdict;
    at("detail").textContent = detail;
    document.title = `${verdict} · ${page.title}`;
  }

  /** What the browser says of the GPU, shortest first; some say nothing. */
  function name_of(adapter) {
    const named = [adapter.vendor, adapter.architecture, adapter.device, adapter.description].filter((text) => text);
    return named.join(", ");
  }

  function show_facts(adapter, limits, digest) {
    const facts = [
      ["GPU", name_of(adapter) || "not named by the browser"],
      ["Browser", navigator.userAgent],
      ["vyre", page.vyre],
      ["Digest of the page", digest],
      ["Limits", limits],
    ];
    at("facts").replaceChildren(...facts.filter(([, value]) => value).flatMap(([name, value]) => [element("dt", name), element("dd", value)]));
  }

  // The table. A row stands for a case from the start; what is not equal moves to the top.
  const rows = [], seen = [];  // by case; what came of it

  /** A name, which may go on in the next line behind a dot, a slash or an underscore; opened, what its case is. */
  function name_cell(k) {
    const cell = element("td"), details = element("details"), name = element("summary", undefined, "name");
    for (const part of page.cases[k].name.match(/[^./_]*[./_]?/g)) name.append(part, element("wbr"));
    const box = element("div", undefined, "case");
    details.append(name, box);
    details.ontoggle = () => details.open && box.replaceChildren(...contents(page.cases[k], seen[k]));
    cell.append(details);
    return cell;
  }

  const kShownElements = 64;
  /** The program of a case and the elements of its buffers: what they held before, what they must hold and what came. */
  function contents(test, verdict) {
    const columns = test.buffers.flatMap((buffer) => {
      const column = (what, bytes) => ({ title: `${buffer.name} ${what}`, buffer, bytes });
      if (!buffer.expected) return [column("input", vyre.before(page, buffer))];
      const came = verdict?.results?.find(({ name }) => name === buffer.name);
      const out = [column("before", vyre.before(page, buffer)), column("expected", vyre.after(page, buffer))];
      return came ? [...out, { ...column("actual", came.bytes), expected: out[1].bytes }] : out;
    });
    const value = ({ buffer, bytes }, k) => {
      const size = page.types[buffer.type].bytes;
      return k < buffer.count ? vyre.show(page, buffer.type, bytes.slice(k * size, (k + 1) * size)) : "";
    };
    const head = element("tr"), body = element("tbody");
    head.append(element("th", "element"), ...columns.map(({ title }) => element("th", title)));
    const all = Math.max(0, ...test.buffers.map(({ count }) => count));
    const place = Number(verdict?.difference?.where.match(/\[(\d+)\]$/)[1] ?? 0);
    const first = place < kShownElements ? 0 : place - 8, end = Math.min(all, first + kShownElements);
    for (let k = first; k < end; ++k) {
      const row = element("tr");
      row.append(element("td", k), ...columns.map((column) => {
        const text = value(column, k), wrong = column.expected && text !== value({ ...column, bytes: column.expected }, k);
        return element("td", text, wrong ? "bad" : "");
      }));
      body.append(row);
    }
    const table = element("table"), wide = element("div", undefined, "wide");
    table.append(element("thead"), body);
    table.firstChild.append(head);
    wide.append(table);
    const out = [element("pre", page.sources[test.source]), wide];
    if (end - first < all) out.push(element("p", `Elements ${count(first)} to ${count(end - 1)} of ${count(all)}.`, "note"));
    if (!verdict?.results) out.push(element("p", verdict?.message ?? "It has not run yet.", "note"));
    return out;
  }

  function make_rows() {
    page.cases.forEach((test, k) => {
      const row = element("tr");
      row.append(
        element("td", "waiting", "verdict waiting"), element("td", test.group, "group"),
        name_cell(k), element("td", count(test.instances), "number"), element("td", "", "number ms"));
      rows.push(row);
    });
    const groups = new Set(page.cases.map((test) => test.group).filter((group) => group));
    at("group").append(...Array.from(groups, (group) => element("option", group)));
  }

  function reset_rows() {
    seen.length = 0;
    for (const row of rows) {
      row.querySelector("details").open = false;
      row.firstChild.textContent = "waiting";
      row.firstChild.className = "verdict waiting";
      row.lastChild.textContent = "";
    }
    at("rows").replaceChildren(...rows);
    at("failure-list").replaceChildren();
    at("failures").hidden = true;
    filter_rows();
  }

  function filter_rows() {
    const bad_only = at("show").value === "bad", group = at("group").value, text = at("search").value.toLowerCase();
    let shown = 0;
    page.cases.forEach((test, k) => {
      const bad = rows[k].firstChild.classList.contains("bad");
      rows[k].hidden = (bad_only && !bad) || (group && test.group !== group) || !test.name.toLowerCase().includes(text);
      shown += rows[k].hidden ? 0 : 1;
    });
    at("shown").textContent = `${count(shown)} of ${count(page.cases.length)} shown`;
  }

  let bad_rows = 0;
  function show_verdict(verdict, k) {
    const { text, good } = vyre.kVerdicts[verdict.verdict];
    seen[k] = verdict;
    rows[k].firstChild.textContent = `${good ? "✓" : "✗"} ${text}`;
    rows[k].firstChild.className = `verdict ${good ? "good" : "bad"}`;
    rows[k].lastChild.textContent = (verdict.compile_ms + verdict.run_ms).toFixed(0);
    if (!good) at("rows").insertBefore(rows[k], at("rows").children[bad_rows++]);
  }

  const kShownFailures = 50;
  function show_failure(test, verdict) {
    const list = at("failure-list");
    at("failures").hidden = false;
    if (list.children.length === kShownFailures) {
      list.append(element("p", "There are more, which the table and the result file have.", "note"));
    }
    if (list.children.length >= kShownFailures) return;
    const card = element("article", undefined, "failure");
    card.append(element("h3", `✗ ${test.name}: ${vyre.kVerdicts[verdict.verdict].text}`));
    const difference = verdict.difference;
    if (difference) {
      if (difference.note) card.append(element("p", difference.note));
      const lines = [
        ...difference.inputs.map(({ name, value }) => [`input ${name}`, value]),
        ["at", difference.where], ["expected", difference.expected], ["actual", difference.actual],
      ];
      const facts = element("dl");
      facts.append(...lines.flatMap(([name, value]) => {
        const place = element("dd");
        place.append(element("code", value));
        return [element("dt", name), place];
      }));
      card.append(facts, element("p", "To run it again:", "note"), element("pre", difference.replay));
    } else {
      card.append(element("pre", verdict.message));
    }
    list.append(card);
  }

  /** Shows how far a run is; no more often than one can see. */
  class Progress {
    constructor() {
      this.started = performance.now();
      this.drawn = 0;
      this.done = 0;
      this.instances = 0;
    }
    seconds() {
      return (performance.now() - this.started) / 1000;
    }
    add(test) {
      ++this.done;
      this.instances += test.instances;
      if (performance.now() - this.drawn > 200) this.draw();
    }
    draw() {
      this.drawn = performance.now();
      const all = page.cases.length, seconds = this.seconds();
      at("progress").max = all;
      at("progress").value = this.done;
      const left = this.done ? (seconds / this.done) * (all - this.done) : 0;
      at("rate").textContent =
        `${count(this.done)} of ${plural(all, "dispatch")}, ${plural(this.instances, "result")}, ` +
        `${(this.done / Math.max(seconds, 0.001)).toFixed(1)} dispatches/s` +
        (this.done < all ? `, about ${duration(left)} left` : `, in ${duration(seconds)}`);
    }
  }

  /** The result as a file: its text, and the digest of that. */
  function result_file(adapter, verdicts, seconds, started) {
    const { counts, good } = vyre.summarize(page, verdicts);
    const cases = page.cases.map((test, k) => {
      const { compile_ms, run_ms, results, ...rest } = verdicts[k];
      const round = (ms) => Math.round(ms * 100) / 100;
      return {
        name: test.name, group: test.group, instances: test.instances, ...rest, expected_digest: test.digest,
        compile_ms: round(compile_ms), run_ms: round(run_ms),
      };
    });
    const result = {
      schema: "vyre.page-result/1", vyre: page.vyre, title: page.title, page: page.digest, passed: good, counts,
      adapter, browser: navigator.userAgent, started: started.toISOString(), seconds: Math.round(seconds * 10) / 10,
      left_out: page.left_out, cases,
    };
    const text = JSON.stringify(result, null, 1) + "\n";
    return { text, digest: vyre.sha256(new TextEncoder().encode(text)) };
  }

  function offer(file) {
    at("result-digest").textContent = file.digest;
    at("result").hidden = false;
    at("download").hidden = false;
    at("download").onclick = () => {
      const link = element("a");
      link.href = URL.createObjectURL(new Blob([file.text], { type: "application/json" }));
      link.download = `vyre-result-${file.digest.slice(0, 16)}.json`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    };
  }

  /** The verdict in one sentence, which is what a finished page opens on. */
  function conclude({ counts, instances, good }, adapter) {
    const all = page.cases.length, dispatches = plural(all, "dispatch");
    const what = page.conformance ? dispatches : plural(all, "run");
    const where = `on ${name_of(adapter) || "this GPU"}`;
    if (good) {
      return say("passed", `✓ PASS: ${count(counts.equal)} of ${what} gave exactly the reference's bytes ${where}`,
        `All ${count(instances)} results of ${dispatches} are the expected ones.`);
    }
    const outcomes = Object.entries(counts).filter(([, n]) => n !== 0)
      .map(([name, n]) => `${count(n)} ${vyre.kVerdicts[name].text}`).join(", ");
    const bad = count(all - counts.equal);
    const verdict = counts.skipped === 0 || counts.equal + counts.skipped < all
      ? `✗ FAIL: ${bad} of ${what} did not give the reference's bytes ${where}`
      : `✗ NOT FINISHED: ${bad} of ${what} did not run ${where}`;
    say("failed", verdict, `Of ${dispatches}: ${outcomes}.`);
  }

  /** How long an answer may take: "?wait=SECONDS" behind the address, for devices that need more than a minute. */
  function wait_ms() {
    const seconds = Number(new URLSearchParams(location.search).get("wait"));
    return seconds > 0 ? 1000 * seconds : undefined;
  }

  let stopping = false;
  async function start() {
    stopping = false;
    bad_rows = 0;
    at("again").hidden = at("download").hidden = at("result").hidden = true;
    reset_rows();
    const started = new Date(), progress = new Progress();
    let adapter = {};
    try {
      const verdicts = await vyre.run(page, async () => {
        const opened = await vyre.open(navigator.gpu);
        adapter = opened.adapter;
        show_facts(adapter, "the defaults of WebGPU; no optional feature", page.digest);
        at("stop").hidden = false;
        say("running", "Running", "Comparing with what was computed where this page was made.");
        return opened;
      }, {
        stop: () => stopping,
        wait_ms: wait_ms(),
        on_verdict(test, verdict, k) {
          show_verdict(verdict, k);
          if (!vyre.kVerdicts[verdict.verdict].good) show_failure(test, verdict);
          progress.add(test);
        },
      });
      progress.draw();
      conclude(vyre.summarize(page, verdicts), adapter);
      offer(result_file(adapter, verdicts, progress.seconds(), started));
    } catch (error) {
      const damaged = error.message.startsWith("the page is damaged");
      const why = damaged ? "this page is damaged" : "this page needs WebGPU, and cannot use it here";
      say("unavailable", `✗ NOT RUN: ${why}`, `${error.message}.`);
    }
    filter_rows();
    at("stop").hidden = true;
    at("again").hidden = false;
  }

  at("title").textContent = page.title;
  at("about").textContent = page.conformance
    ? "Every operation and operator of vyre runs on this GPU, in this browser. A pass means that each of them gave, byte " +
      "for byte, the results that its definition has."
    : "Programs of vyre run on this GPU, in this browser. A pass means that each of them wrote, byte for byte, what the " +
      "reference interpreter wrote for the same inputs where this page was made.";
  if (page.left_out.length > 0) {
    at("left-out-list").append(...page.left_out.map((line) => element("li", line)));
    at("left-out").hidden = false;
  }
  show_facts({}, "", "");
  make_rows();
  for (const id of ["show", "group"]) at(id).onchange = filter_rows;
  at("search").oninput = filter_rows;
  at("stop").onclick = () => (stopping = true);
  at("again").onclick = start;
  start();
})();
