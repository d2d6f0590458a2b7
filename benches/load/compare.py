#!/usr/bin/env python3
"""Runs Aura and the bare reference in turn on the same calls, each fresh for each step, and prints the ratios.

One CPU carries the server and its Postgres, another the mock and the generator. As root, on a quiet machine:

    cargo build --release --locked -p aura-actors --bin aura
    cargo build --release --locked --manifest-path benches/load/Cargo.toml
    benches/load/compare.py

`ratios.py DIR` prints the tables of an earlier run again.
"""

import argparse
import os
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

import ratios

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
# What the generator does. Aura releases whole sentences: with no time between tokens, all that is left is its own.
KINDS = {
    "overhead": ["--itd-ms", "0", "--barge", "0"],
    "aborts": ["--itd-ms", "10", "--barge-after", "1"],
}
ROWS = ["reference", "fixed", "retrieval"]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=3, help="times that each overhead step is run, in turn")
    parser.add_argument("--abort-runs", type=int, default=1, help="times that each aborts step is run")
    parser.add_argument("--sizes", default="1,100,200,500,1000", help="calls at once")
    parser.add_argument("--secs", type=int, default=20, help="seconds during which turns are begun")
    parser.add_argument("--rows", default=",".join(ROWS), help="which servers, of: " + ", ".join(ROWS))
    parser.add_argument("--verify", default="full", help="how answers are checked: full, tail or some")
    parser.add_argument("--aura", type=Path, default=ROOT / "target/release/aura")
    parser.add_argument("--tools", type=Path, default=HERE / "target/release", help="mockllm and its siblings")
    parser.add_argument("--home", type=Path, default=default_home(), help="AURA_HOME: Postgres and the weights")
    parser.add_argument("--server-cpu", default="0", help="CPU of the server and its Postgres")
    parser.add_argument("--load-cpu", default="1", help="CPU of the mock and the generator")
    parser.add_argument("--out", type=Path, default=HERE / "runs" / time.strftime("%Y-%m-%d-%H%M%S"))
    return parser.parse_args()


def default_home():
    if "AURA_HOME" in os.environ:
        return Path(os.environ["AURA_HOME"])
    return Path("/var/lib/aura") if os.geteuid() == 0 else Path.home() / ".local/share/aura"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Pinned:
    """A program on one CPU, ready to be used; it ends with the `with` that holds it."""

    def __init__(self, cpu, argv, log, ready=lambda: True, env=None, cwd=ROOT, stop=signal.SIGTERM):
        self.log, self.stop, self.pid_file = log, stop, log.with_suffix(".pid")
        self.pid_file.unlink(missing_ok=True)
        pin = [str(part) for part in [HERE / "pin.sh", cpu, self.pid_file, *argv]]
        with log.open("ab") as out:
            self.child = subprocess.Popen(pin, stdin=subprocess.DEVNULL, stdout=out, stderr=out, env=env, cwd=cwd)
        try:
            self.wait_for(lambda: self.pid_file.exists() and self.pid_file.read_text().endswith("\n"))
            self.pid = int(self.pid_file.read_text())
            self.wait_for(ready)
        except BaseException:
            self.__exit__()
            raise

    def wait_for(self, ready):
        deadline = time.monotonic() + 120
        while not ready():
            if self.child.poll() is not None or time.monotonic() > deadline:
                sys.exit(f"a program ended, or was not ready in two minutes; {self.log} says why")
            time.sleep(0.05)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        # `pin.sh` becomes the program: one process, whose id is the child's.
        for end in [self.stop, signal.SIGKILL]:
            if self.child.poll() is None:
                self.child.send_signal(end)
                try:
                    self.child.wait(30)
                except subprocess.TimeoutExpired:
                    continue
        self.pid_file.unlink(missing_ok=True)


def connects(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def get(port, path):
    """The body, or nothing while the server isn't there or isn't ready."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=10) as response:
            return response.read().decode()
    except (urllib.error.URLError, OSError):
        return None


class Postgres:
    """A cluster that is prepared once; each Aura gets a copy of its own, so that none pays for another's rows."""

    def __init__(self, args, scratch):
        self.args, self.scratch, self.prepared = args, scratch, scratch / "prepared"
        binaries = sorted(args.home.glob("pg/**/bin/initdb"))
        if not binaries:
            sys.exit(f"no Postgres below {args.home}/pg: run deploy/setup, or name another --home")
        self.bin = binaries[0].parent
        # Postgres refuses to run as root.
        lower = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", "--"]
        self.account = lower if os.geteuid() == 0 else []
        if self.account:
            shutil.chown(scratch, "nobody", "nogroup")
        self.prepare()

    def prepare(self):
        initdb = [self.bin / "initdb", "-D", self.prepared, "-U", "aura", "--auth=trust", "-E", "UTF8"]
        with (self.args.out / "initdb.log").open("wb") as log:
            command = [*self.account, *initdb, "--locale=C.UTF-8"]
            subprocess.run(command, check=True, stdout=log, stderr=log, cwd=self.scratch)
        with self.serve(self.prepared):
            run_aura(self.args, self.env(), "ingest", ROOT / "manuals")

    def env(self):
        return {"DATABASE_URL": f"host={self.scratch} user=aura dbname=postgres"}

    def serve(self, data):
        argv = [*self.account, self.bin / "postgres", "-D", data, "-k", self.scratch, "-c", "listen_addresses="]
        ask = [self.bin / "pg_isready", "-q", "-h", self.scratch, "-U", "aura", "-d", "postgres"]
        return Pinned(
            self.args.server_cpu, argv, self.args.out / "postgres.log",
            ready=lambda: subprocess.run(ask, check=False).returncode == 0,
            cwd=self.scratch, stop=signal.SIGINT,
        )

    def fresh(self):
        data = self.scratch / "data"
        shutil.rmtree(data, ignore_errors=True)
        subprocess.run(["cp", "-a", self.prepared, data], check=True)
        return self.serve(data)


def aura_env(args, more):
    """Nothing of this shell's but its path: a key or an address of its own would change what is measured."""
    keep = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ}
    return {**keep, "AURA_HOME": str(args.home), "AURA_EMBEDDER": "local", "RUST_LOG": "warn", **more}


def run_aura(args, env, *command):
    subprocess.run([args.aura, *command], check=True, cwd=ROOT, env=aura_env(args, env), stdout=subprocess.DEVNULL)


class Bench:
    """The mock, which serves all steps, and what a step needs."""

    def __init__(self, args, postgres):
        self.args, self.postgres, self.mock_port = args, postgres, free_port()

    def start_mock(self):
        argv = [self.args.tools / "mockllm", "--listen", f"127.0.0.1:{self.mock_port}"]
        log = self.args.out / "mockllm.log"
        return Pinned(self.args.load_cpu, argv, log, ready=lambda: connects(self.mock_port))

    def step(self, kind, row, calls, pair):
        name = f"{kind}-{row}-{calls}-{pair}"
        if row == "reference":
            return self.reference(kind, calls, name)
        with self.postgres.fresh():
            if row == "fixed":
                block = (HERE / "fixed_block.txt").read_text()
                run_aura(self.args, self.postgres.env(), "settings", "set", "rag.fixedContext", block)
            self.aura(kind, calls, name)

    def reference(self, kind, calls, name):
        port = free_port()
        addresses = ["--listen", f"127.0.0.1:{port}", "--upstream", f"127.0.0.1:{self.mock_port}"]
        argv = [self.args.tools / "refserver", *addresses]
        log = self.args.out / f"{name}.log"
        with Pinned(self.args.server_cpu, argv, log, ready=lambda: connects(port)) as server:
            self.load(kind, calls, name, port, server.pid)

    def aura(self, kind, calls, name):
        port = free_port()
        # A step may be repeated, and the calls of its first try wait for a redial meanwhile.
        most = str(4 * calls + 100)
        env = aura_env(self.args, {
            **self.postgres.env(),
            "AURA_LISTEN": f"127.0.0.1:{port}", "AURA_WORKERS": "1", "AURA_E5_THREADS": "1",
            "AURA_LLM": "openai", "OPENAI_BASE_URL": f"http://127.0.0.1:{self.mock_port}/v1",
            "AURA_MAX_CALLS": most, "AURA_LLM_PERMITS": most,
        })
        log, ready = self.args.out / f"{name}.log", lambda: get(port, "/readyz") is not None
        with Pinned(self.args.server_cpu, [self.args.aura, "serve"], log, ready, env) as server:
            self.load(kind, calls, name, port, server.pid)
            (self.args.out / f"{name}.metrics").write_text(get(port, "/metrics") or "")

    def load(self, kind, calls, name, port, pid):
        argv = [
            self.args.tools / "retellload", "run", "--label", name, "--pid", pid,
            "--url", f"ws://127.0.0.1:{port}/llm-websocket/{{call_id}}", "--mock", f"127.0.0.1:{self.mock_port}",
            "--steps", calls, "--secs", self.args.secs, "--verify", self.args.verify,
            "--out", self.args.out / f"{name}.json", *KINDS[kind],
        ]
        log = self.args.out / f"{name}.load.log"
        with Pinned(self.args.load_cpu, argv, log) as generator:
            if generator.child.wait() != 0:
                sys.exit(f"the generator failed; {log} says why")
        print(log.read_text().splitlines()[1], flush=True)


def main():
    args = arguments()
    for program in [args.aura, args.tools / "mockllm", args.tools / "refserver", args.tools / "retellload"]:
        if not program.exists():
            sys.exit(f"{program} is not built; the head of {Path(__file__).name} says how")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by SIGTERM"))
    # A call is two connections; what is started here inherits the limit.
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    args.out.mkdir(parents=True)
    scratch = Path(tempfile.mkdtemp(prefix="aura-load-"))
    try:
        bench = Bench(args, Postgres(args, scratch))
        with bench.start_mock():
            for kind, runs in [("overhead", args.pairs), ("aborts", args.abort_runs)]:
                for pair in range(1, runs + 1):
                    for calls in (int(size) for size in args.sizes.split(",")):
                        for row in args.rows.split(","):
                            bench.step(kind, row, calls, pair)
    except subprocess.CalledProcessError as failed:
        sys.exit(f"{failed.cmd[0]} failed; its own words are above or in {args.out}")
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    print(ratios.tables(args.out))


if __name__ == "__main__":
    main()
