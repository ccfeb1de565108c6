"""The templates in deploy/: each parses, and its shell calls vyre-conform as docs/commands.md has it.

Oracle: the formats of sbatch(1), Kubernetes' batch/v1, GitHub's workflows and GitLab's .gitlab-ci.yml, as their manuals have
them, by hand. A `vyre-conform` in PATH writes its arguments and the variables of shards to a file.
"""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import unittest

import yaml

SOURCE = pathlib.Path(os.environ.get("VYRE_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
DEPLOY = SOURCE / "deploy"
SHARDS = 8

# Appends one line of JSON a call; with FAKE_HANGS it says that it has begun and waits to be ended.
FAKE = """#!{python}
import json, os, signal, sys
shown = {{name: value for name, value in os.environ.items() if name.startswith(("VYRE_", "SLURM_", "CI_NODE", "JOB_"))}}
with open(os.environ["FAKE_LOG"], "a") as log:
    log.write(json.dumps([os.path.basename(sys.argv[0]), sys.argv[1:], shown]) + "\\n")
if "FAKE_HANGS" in os.environ and sys.argv[0].endswith("vyre-conform"):
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    print("begun", flush=True)
    signal.pause()
sys.exit(int(os.environ.get("FAKE_EXIT", "0")))
"""


class Templates(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "bin").mkdir()
        for name in ("vyre-conform", "scontrol"):
            fake = self.folder / "bin" / name
            fake.write_text(FAKE.format(python=sys.executable))
            fake.chmod(0o755)
        (self.folder / "dev").write_text("#!/bin/sh\necho \"dev $*\" >> dev.log\n")
        (self.folder / "dev").chmod(0o755)

    def environment(self, variables):
        return {"PATH": f"{self.folder}/bin:/usr/bin:/bin", "FAKE_LOG": str(self.folder / "log"),
                "GITHUB_PATH": str(self.folder / "github_path"), **variables}

    def run_shell(self, command, variables, status=0):
        """Runs it; what was called: [(program, arguments, variables)]."""
        (self.folder / "log").unlink(missing_ok=True)
        done = subprocess.run(command, cwd=self.folder, env=self.environment(variables), timeout=60,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, status, done.stderr)
        return self.calls()

    def calls(self):
        log = self.folder / "log"
        return [tuple(json.loads(line)) for line in log.read_text().splitlines()] if log.exists() else []

    def expect_certify(self, calls, state, **options):
        """One call of certify, and its state directory."""
        self.assertEqual(len(calls), 1, calls)
        name, arguments, variables = calls[0]
        self.assertEqual(name, "vyre-conform")
        self.assertEqual(arguments, ["certify", "--backend", options.get("backend", "native"),
                                     "--strength", options.get("strength", "standard"),
                                     "--shard", "auto", "--state", state])
        return variables

    def expect_merge(self, command):
        """Which directories a merge takes, of those that its shards have left."""
        for shard in range(3):
            (self.folder / "campaign" / f"shard-{shard}").mkdir(parents=True, exist_ok=True)
        calls = self.run_shell(command, {})
        self.assertEqual([call[:2] for call in calls],
                         [("vyre-conform", ["merge", "campaign/shard-0", "campaign/shard-1", "campaign/shard-2",
                                            "--out", "certificate.json"])])

    # Slurm

    def slurm(self, task="3", **more):
        return {"SLURM_ARRAY_JOB_ID": "100", "SLURM_ARRAY_TASK_ID": task, "SLURM_ARRAY_TASK_MIN": "0",
                "SLURM_ARRAY_TASK_MAX": "7", "SLURM_ARRAY_TASK_COUNT": "8", "SLURM_ARRAY_TASK_STEP": "1", **more}

    def test_slurm_options_are_those_of_an_array_with_requeue(self):
        text = (DEPLOY / "slurm.sbatch").read_text()
        self.assertTrue(text.startswith("#!/bin/bash\n"))
        options = re.findall(r"^#SBATCH --([a-z-]+)(?:=(\S+))?$", text, re.M)
        self.assertEqual(len(options), text.count("#SBATCH"))
        options = dict(options)
        self.assertEqual(options["array"], f"0-{SHARDS - 1}")
        self.assertIn("requeue", options)
        self.assertEqual(options["open-mode"], "append")  # what a task wrote before it was requeued
        self.assertEqual(options["signal"], "B:USR1@60")
        # sbatch stops at the first line that is no comment.
        self.assertLess(text.rindex("#SBATCH"), re.search(r"^[^#\n]", text, re.M).start())

    def test_slurm_runs_one_shard_a_task(self):
        script = ["bash", str(DEPLOY / "slurm.sbatch")]
        self.expect_certify(self.run_shell(script, self.slurm()), "campaign/shard-3")
        calls = self.run_shell(script, self.slurm("5", VYRE_BACKEND="cuda:1", VYRE_STRENGTH="full",
                                                  VYRE_CAMPAIGN="/shared/a b"))
        variables = self.expect_certify(calls, "/shared/a b/shard-5", backend="cuda:1", strength="full")
        self.assertEqual(variables["SLURM_ARRAY_TASK_COUNT"], "8")
        for status in (1, 2, 3):
            self.run_shell(script, self.slurm(FAKE_EXIT=str(status)), status)

    def test_slurm_requeues_itself_when_its_time_is_over(self):
        process = subprocess.Popen(["bash", str(DEPLOY / "slurm.sbatch")], cwd=self.folder, text=True,
                                   env=self.environment(self.slurm(FAKE_HANGS="1")), stdout=subprocess.PIPE)
        with process:
            self.assertEqual(process.stdout.readline(), "begun\n")
            process.send_signal(signal.SIGUSR1)
            self.assertEqual(process.wait(timeout=60), 0)
        self.assertEqual([call[:2] for call in self.calls()][1:], [("scontrol", ["requeue", "100_3"])])

    def test_slurm_merge_line(self):
        line = re.search(r'--wrap "(.*)"', (DEPLOY / "slurm.sbatch").read_text()).group(1)
        self.expect_merge(["bash", "-c", line])

    # Kubernetes

    def test_kubernetes_job(self):
        job = yaml.safe_load((DEPLOY / "kubernetes-job.yaml").read_text())
        self.assertEqual((job["apiVersion"], job["kind"]), ("batch/v1", "Job"))
        spec = job["spec"]
        self.assertEqual(spec["completionMode"], "Indexed")
        self.assertEqual(spec["completions"], SHARDS)
        # Needed for backoffLimitPerIndex and podFailurePolicy.
        self.assertEqual(spec["template"]["spec"]["restartPolicy"], "Never")
        self.assertGreaterEqual(spec["backoffLimitPerIndex"], 1)
        self.assertEqual(spec["podFailurePolicy"]["rules"],
                         [{"action": "FailIndex", "onExitCodes": {"operator": "In", "values": [1, 2, 3]}}])
        (container,) = spec["template"]["spec"]["containers"]
        variables = {entry["name"]: entry["value"] for entry in container["env"]}
        self.assertEqual(variables, {"VYRE_SHARDS": str(spec["completions"])})
        (mount,) = container["volumeMounts"]
        (volume,) = spec["template"]["spec"]["volumes"]
        self.assertEqual(mount["name"], volume["name"])
        for index in (0, 7):
            calls = self.run_shell(container["command"] + container["args"],
                                   {"JOB_COMPLETION_INDEX": str(index), **variables})
            seen = self.expect_certify(calls, f"{mount['mountPath']}/shard-{index}")
            self.assertEqual(seen["VYRE_SHARDS"], str(SHARDS))
        self.run_shell(container["command"] + container["args"],
                       {"JOB_COMPLETION_INDEX": "0", "FAKE_EXIT": "1"}, 1)

    # GitHub

    def steps(self, job):
        """Runs the shell of a job's steps, as GitHub does with `shell: bash`; what the last one was given."""
        command = []
        for step in job["steps"]:
            self.assertEqual(("uses" in step) + ("run" in step), 1, step)
            if "run" in step:
                self.assertEqual(step["shell"], "bash")  # in a container the default has no pipefail
                self.assertNotIn("${{", step["run"])  # expressions are for env, where nothing can break out of quotes
                command.append(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]])
        return command

    def test_github_matrix(self):
        workflow = yaml.safe_load((DEPLOY / "github.yml").read_text())
        self.assertIn(True, workflow)  # `on`, to a reader of YAML 1.1
        shard, merge = workflow["jobs"]["shard"], workflow["jobs"]["merge"]
        self.assertEqual(shard["strategy"]["matrix"]["shard"], list(range(SHARDS)))
        self.assertIs(shard["strategy"]["fail-fast"], False)
        self.assertEqual(shard["env"], {"VYRE_SHARD_INDEX": "${{ strategy.job-index }}",
                                        "VYRE_SHARDS": "${{ strategy.job-total }}"})
        build, certify = self.steps(shard)
        self.assertEqual(self.run_shell(build, {}), [])
        self.assertEqual((self.folder / "dev.log").read_text(), "dev build\n")
        self.assertEqual((self.folder / "github_path").read_text(), f"{self.folder}/build/release/bin\n")
        calls = self.run_shell(certify, {"VYRE_SHARD_INDEX": "7", "VYRE_SHARDS": "8"})
        self.expect_certify(calls, "campaign/shard-7")
        self.run_shell(certify, {"VYRE_SHARD_INDEX": "7", "VYRE_SHARDS": "8", "FAKE_EXIT": "1"}, 1)

        uploads = [step for step in shard["steps"] if step.get("uses", "").startswith("actions/upload-artifact@")]
        self.assertEqual([step["if"] for step in uploads], ["always()"])
        self.assertEqual(uploads[0]["with"], {"name": "shard-${{ strategy.job-index }}", "path": "campaign",
                                              "overwrite": True})
        self.assertEqual(merge["needs"], "shard")
        downloads = [step for step in merge["steps"] if step.get("uses", "").startswith("actions/download-artifact@")]
        self.assertEqual(downloads[0]["with"], {"path": "campaign", "merge-multiple": True})
        self.expect_merge(self.steps(merge)[-1])

    # GitLab

    def test_gitlab_parallel(self):
        pipeline = yaml.safe_load((DEPLOY / "gitlab-ci.yml").read_text())
        certify, merge = pipeline["certify"], pipeline["merge"]
        self.assertEqual(certify["parallel"], SHARDS)
        self.assertEqual(pipeline["stages"], [certify["stage"], merge["stage"]])
        self.assertEqual(merge["needs"], ["certify"])
        self.assertEqual(certify["artifacts"], {"when": "always", "paths": ["campaign"]})

        def shell(job):
            """As a runner does: one script, that ends with the first line that fails."""
            return ["sh", "-ec", "\n".join(pipeline["default"]["before_script"] + job["script"])]

        calls = self.run_shell(shell(certify), {"CI_NODE_INDEX": "1", "CI_NODE_TOTAL": "8"})
        self.expect_certify(calls, "campaign/shard-1")
        self.assertEqual((self.folder / "dev.log").read_text(), "dev build\n")
        self.run_shell(shell(certify), {"CI_NODE_INDEX": "1", "CI_NODE_TOTAL": "8", "FAKE_EXIT": "1"}, 1)
        self.expect_merge(shell(merge))

    def test_every_template_is_tested_and_short(self):
        self.assertEqual(sorted(path.name for path in DEPLOY.iterdir()),
                         ["github.yml", "gitlab-ci.yml", "kubernetes-job.yaml", "slurm.sbatch"])
        for path in DEPLOY.iterdir():
            self.assertLess(len(path.read_text().splitlines()), 70, path)


if __name__ == "__main__":
    unittest.main()
