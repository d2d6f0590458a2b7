#!/usr/bin/env python3
"""Forks 200 stereo calls to Aura in real time, with and without a stall of the recogniser, and says what was lost.

One CPU carries the server and its Postgres, another the callers and the recogniser. As root, on a quiet machine:

    cargo build --release --locked -p aura-actors --bin aura
    cargo build --release --locked --manifest-path benches/load/Cargo.toml
    benches/load/forks.py
"""

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

from compare import HERE, ROOT, Pinned, Postgres, aura_env, default_home, free_port, get


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=200, help="calls at once")
    parser.add_argument("--secs", type=int, default=30, help="seconds that each call lasts")
    parser.add_argument("--aura", type=Path, default=ROOT / "target/release/aura")
    parser.add_argument("--tools", type=Path, default=HERE / "target/release", help="where forkload is")
    parser.add_argument("--home", type=Path, default=default_home(), help="AURA_HOME: Postgres and the weights")
    parser.add_argument("--server-cpu", default="0", help="CPU of the server and its Postgres")
    parser.add_argument("--load-cpu", default="1", help="CPU of the callers and the recogniser")
    parser.add_argument("--out", type=Path, default=HERE / "runs" / time.strftime("forks-%Y-%m-%d-%H%M%S"))
    return parser.parse_args()


def run(args, postgres, name, more):
    port, sink = free_port(), free_port()
    with postgres.fresh():
        env = aura_env(args, {
            **postgres.env(), "AURA_LISTEN": f"127.0.0.1:{port}", "AURA_WORKERS": "1", "AURA_E5_THREADS": "1",
            "AURA_STT": "deepgram", "DEEPGRAM_API_KEY": "load", "DEEPGRAM_URL": f"ws://127.0.0.1:{sink}",
        })
        log, ready = args.out / f"{name}.log", lambda: get(port, "/readyz") is not None
        with Pinned(args.server_cpu, [args.aura, "serve"], log, ready, env) as server:
            argv = [
                args.tools / "forkload", "--url", f"ws://127.0.0.1:{port}/audio-fork", "--calls", args.calls,
                "--secs", args.secs, "--sink", f"127.0.0.1:{sink}", "--pid", server.pid, *more,
            ]
            load_log = args.out / f"{name}.json"
            with Pinned(args.load_cpu, argv, load_log) as load:
                load.child.wait()
            (args.out / f"{name}.metrics").write_text(get(port, "/metrics") or "")
    line = load_log.read_text().splitlines()[-1]
    print(name, json.dumps(json.loads(line), indent=1), flush=True)
    return json.loads(line)["clean"]


def main():
    args = arguments()
    args.out.mkdir(parents=True)
    scratch = Path(tempfile.mkdtemp(prefix="aura-load-"))
    try:
        postgres = Postgres(args, scratch)
        steady = run(args, postgres, "steady", [])
        stalled = run(args, postgres, "stall", ["--stall-after", args.secs // 3, "--stall-ms", 2000])
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    sys.exit(0 if steady and stalled else 1)


if __name__ == "__main__":
    os.chdir(ROOT)
    main()
