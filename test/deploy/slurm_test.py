"""A campaign on a real Slurm of one machine: deploy/slurm.sbatch as it stands, an array of 8 tasks of which two are killed
while they run and put back into the queue. What is merged is the certificate of a run that was not disturbed.

Oracle: that certificate, byte for byte; scontrol(1) and squeue(1) say what became of the tasks.

Runs as root as the first process of namespaces of its own (`unshare --pid --fork --kill-child --mount-proc --net --uts`): its
network is a loopback of its own, and whatever ends it, the kernel ends every daemon and task with it.
"""
import fcntl
import os
import pathlib
import pwd
import re
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import time
import unittest

SOURCE = pathlib.Path(os.environ["VYRE_SOURCE"])
PROGRAM = pathlib.Path(os.environ["VYRE_BIN"]) / "vyre-conform"
OPERATIONS = "primitive.math.negate"  # of all there are, one: the template has no option for it
TASKS, KILLED = 8, 2
HOST, ADDRESS = "vyre", "127.0.0.2"

# No accounting, no control groups, no privileges: what docs/campaigns.md does not ask for is not there.
CONFIGURATION = """
ClusterName=vyre
SlurmctldHost={host}({address})
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={at}/munge/socket,cred_expire=5
StateSaveLocation={at}/controller
SlurmdSpoolDir={at}/node
SlurmctldPidFile={at}/slurmctld.pid
SlurmdPidFile={at}/slurmd.pid
SlurmctldLogFile={at}/slurmctld.log
SlurmdLogFile={at}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
ReturnToService=2
KillWait=2
SlurmdParameters=config_overrides
NodeName={host} NodeAddr={address} CPUs={cpus} State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def enter_namespaces():
    """Names the machine and starts its loopback. Refuses to do so anywhere but in namespaces of its own."""
    if os.getpid() != 1:
        raise SystemExit("slurm_test: run it under unshare --pid --fork --kill-child --mount-proc --net --uts")
    socket.sethostname(HOST)
    # Beside 127.0.0.1, which getaddrinfo() with AI_ADDRCONFIG takes for no address at all.
    address = struct.pack("16sHH4s8x", b"lo:0", socket.AF_INET, 0, socket.inet_aton(ADDRESS))
    with socket.socket() as any_socket:
        fcntl.ioctl(any_socket, 0x8914, struct.pack("16sh", b"lo", 0x1 | 0x40))  # SIOCSIFFLAGS: IFF_UP, IFF_RUNNING
        fcntl.ioctl(any_socket, 0x8916, address)  # SIOCSIFADDR


class Cluster:
    """munged, slurmctld and slurmd under one folder."""

    def __init__(self, at):
        self.at, self.daemons = at, []
        for folder in ("munge", "controller", "node"):
            (at / folder).mkdir()
        hosts = at / "hosts"
        hosts.write_text(f"127.0.0.1 localhost\n{ADDRESS} {HOST}\n")
        subprocess.run(["mount", "--bind", hosts, "/etc/hosts"], check=True)  # in this namespace alone
        key = at / "munge" / "key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        munge = pwd.getpwnam("munge")
        for path in (at / "munge", key):
            os.chown(path, munge.pw_uid, munge.pw_gid)
        at.chmod(0o755)
        (at / "slurm.conf").write_text(CONFIGURATION.format(host=HOST, address=ADDRESS, at=at, cpus=os.cpu_count()))
        self.environment = {"PATH": f"{at}/bin:/usr/sbin:/usr/bin:/sbin:/bin", "SLURM_CONF": str(at / "slurm.conf"),
                            "LANG": "C.UTF-8"}

    def start(self):
        munge = self.at / "munge"
        self.daemon("setpriv", "--reuid=munge", "--regid=munge", "--clear-groups", "munged", "--foreground",
                    f"--key-file={munge}/key", f"--socket={munge}/socket", f"--pid-file={munge}/pid",
                    f"--log-file={munge}/log", f"--seed-file={munge}/seed")
        self.wait_for("munged", lambda: (munge / "socket").exists(), 20)
        self.daemon("slurmctld", "-D")
        self.daemon("slurmd", "-D")
        self.wait_for("the node", lambda: self.ask("sinfo", "--noheader", "--format=%T", check=False).strip() == "idle", 60)

    def daemon(self, *command):
        with open(self.at / f"{command[0]}.out", "ab") as log:
            self.daemons.append(subprocess.Popen(command, env=self.environment, stdin=subprocess.DEVNULL, stdout=log,
                                                 stderr=subprocess.STDOUT))

    def ask(self, *command, check=True):
        done = subprocess.run(command, env=self.environment, cwd=self.at, capture_output=True, text=True, timeout=60)
        if check and done.returncode != 0:
            raise AssertionError(f"{command}: {done.stdout}{done.stderr}")
        return done.stdout

    def wait_for(self, what, is_true, seconds):
        end = time.monotonic() + seconds
        while not is_true():
            gone = [daemon.args for daemon in self.daemons if daemon.poll() is not None]
            if gone or time.monotonic() > end:
                raise AssertionError(f"{what}: {f'{gone} ended' if gone else f'not within {seconds} s'}\n{self.logs()}")
            time.sleep(0.05)  # between two looks

    def logs(self):
        names = ("munge/log", "slurmctld.log", "slurmd.log", "setpriv.out", "slurmctld.out", "slurmd.out")
        logs = [self.at / name for name in names] + sorted(self.at.glob("vyre-*.log"))
        return "".join(f"--- {log.name}\n{log.read_text(errors='replace')[-3000:]}" for log in logs if log.exists())

    def tasks(self):
        """Array task: state and how often it was put back, of those that the controller still knows."""
        out = {}
        for line in self.ask("scontrol", "--oneliner", "show", "job").splitlines():
            task = re.search(r"\bArrayTaskId=(\d+)\b", line)
            if task:
                out[int(task[1])] = (re.search(r"\bJobState=(\w+)", line)[1], int(re.search(r"\bRestarts=(\d+)", line)[1]))
        return out

    def stop(self):
        for daemon in reversed(self.daemons):
            daemon.terminate()
        for daemon in reversed(self.daemons):
            try:
                daemon.wait(20)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()


class Slurm(unittest.TestCase):
    def setUp(self):
        self.at = pathlib.Path(tempfile.mkdtemp(prefix="vyre-slurm-"))
        self.addCleanup(shutil.rmtree, self.at, ignore_errors=True)
        self.addCleanup(subprocess.run, ["umount", "/etc/hosts"], check=False)
        (self.at / "bin").mkdir()
        wrapper = self.at / "bin" / "vyre-conform"
        wrapper.write_text(f"""#!/bin/sh
# What the template starts, cut to one operation.
if [ "$1" = certify ]; then exec {PROGRAM} "$@" --ops {OPERATIONS}; fi
exec {PROGRAM} "$@"
""")
        wrapper.chmod(0o755)
        self.cluster = Cluster(self.at)
        self.addCleanup(self.cluster.stop)
        self.cluster.start()

    def kill_and_requeue(self, job, task):
        """As a node does that runs out of memory: SIGKILL to the script and all that it started."""
        name = f"{job}_{task}"
        self.cluster.ask("scancel", "--signal=KILL", "--full", name)
        self.cluster.wait_for(f"the end of {name}", lambda: self.cluster.tasks()[task][0] in ("FAILED", "CANCELLED"), 60)
        self.cluster.ask("scontrol", "requeue", name)
        # Slurm lets a task that was put back wait until the credentials of its last run are void.
        self.assertIn(self.cluster.tasks()[task], [("PENDING", 1), ("RUNNING", 1)], name)

    def test_killed_tasks_change_nothing(self):
        whole = self.at / "whole.json"
        done = subprocess.run([PROGRAM, "certify", "--strength", "quick", "--ops", OPERATIONS, "--out", whole],
                              capture_output=True, text=True, timeout=600)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

        self.cluster.environment["VYRE_STRENGTH"] = "quick"
        job = self.cluster.ask("sbatch", "--parsable", SOURCE / "deploy" / "slurm.sbatch").strip()
        killed = set()

        def kill_next():
            """Kills a task that runs and has its state directory: whether enough have been."""
            for task, (state, restarts) in self.cluster.tasks().items():
                begun = (self.at / "campaign" / f"shard-{task}" / "journal").exists()
                if state == "RUNNING" and restarts == 0 and begun and len(killed) < KILLED:
                    self.kill_and_requeue(job, task)
                    killed.add(task)
            return len(killed) == KILLED

        self.cluster.wait_for("two tasks to kill", kill_next, 300)
        ended = ("COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL", "OUT_OF_MEMORY")
        seen = {}

        def all_ended():
            seen.update(self.cluster.tasks())  # a task that has ended is forgotten after minutes
            return len(seen) == TASKS and all(state in ended for state, _ in seen.values())

        self.cluster.wait_for("the array", all_ended, 600)
        expected = {task: ("COMPLETED", 1 if task in killed else 0) for task in range(TASKS)}
        self.assertEqual(seen, expected, self.cluster.logs())
        merged = self.at / "merged.json"
        self.cluster.ask("vyre-conform", "merge", *sorted((self.at / "campaign").glob("shard-*")), "--out", merged)
        self.assertEqual(merged.read_bytes(), whole.read_bytes())


if __name__ == "__main__":
    enter_namespaces()
    signal.signal(signal.SIGTERM, lambda *_: exit(1))  # the first process of a namespace has no default
    unittest.main()
