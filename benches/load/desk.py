#!/usr/bin/env python3
"""What a busy desk costs: 50 desks watch one call while 200 others are live, side by side with one desk and no other call.

One CPU carries the server and its Postgres, another the calls, the desks and the model. As root, on a quiet machine:

    cargo build --release --locked -p aura-actors --bin aura
    cargo build --release --locked --manifest-path benches/load/Cargo.toml
    benches/load/desk.py
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from compare import HERE, ROOT, Pinned, Postgres, aura_env, default_home, free_port, get

MEASURES = ["line_ms", "partial_after_first_token_ms", "partial_after_fourth_piece_ms"]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--watchers", type=int, default=50, help="desks that watch the measured call")
    parser.add_argument("--calls", type=int, default=200, help="other live calls")
    parser.add_argument("--rounds", type=int, default=20, help="suggestions that are measured in a run")
    parser.add_argument("--pairs", type=int, default=3, help="runs of each kind, in turn")
    parser.add_argument("--aura", type=Path, default=ROOT / "target/release/aura")
    parser.add_argument("--tools", type=Path, default=HERE / "target/release", help="where deskload is")
    parser.add_argument("--home", type=Path, default=default_home(), help="AURA_HOME: Postgres and the weights")
    parser.add_argument("--server-cpu", default="0", help="CPU of the server and its Postgres")
    parser.add_argument("--load-cpu", default="1", help="CPU of everything else")
    parser.add_argument("--out", type=Path, default=HERE / "runs" / time.strftime("desk-%Y-%m-%d-%H%M%S"))
    return parser.parse_args()


def token(args, env):
    """A machine's token that may do what an operator may."""
    argv = [args.aura, "user", "token", "--machine", "--name", "load"]
    for scope in ["calls:read", "calls:act"]:
        argv += ["--scope", scope]
    done = subprocess.run(argv, check=True, cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True)
    return next(word for word in done.stdout.split() if len(word) >= 40)


def run(args, postgres, name, watchers, calls):
    port, model = free_port(), free_port()
    with postgres.fresh():
        env = aura_env(args, {
            **postgres.env(), "AURA_LISTEN": f"127.0.0.1:{port}", "AURA_WORKERS": "1", "AURA_E5_THREADS": "1",
            "AURA_LLM": "openai", "OPENAI_BASE_URL": f"http://127.0.0.1:{model}/v1", "AURA_STT": "transcript",
        })
        log, ready = args.out / f"{name}.log", lambda: get(port, "/readyz") is not None
        with Pinned(args.server_cpu, [args.aura, "serve"], log, ready, env) as server:
            argv = [
                args.tools / "deskload", "--server", f"127.0.0.1:{port}", "--token", token(args, env), "--model",
                f"127.0.0.1:{model}", "--watchers", watchers, "--calls", calls, "--rounds", args.rounds,
                "--pid", server.pid,
            ]
            load_log = args.out / f"{name}.json"
            with Pinned(args.load_cpu, argv, load_log) as load:
                load.child.wait()
            (args.out / f"{name}.metrics").write_text(get(port, "/metrics") or "")
    report = json.loads(load_log.read_text().splitlines()[-1])
    shown = {**report, **{name: {part: report[name][part] for part in ("p50", "p99")} for name in MEASURES}}
    print(name, json.dumps(shown), flush=True)
    return report


def at(values, part):
    values = sorted(values)
    return values[round((len(values) - 1) * part)]


def ratio(busy, idle, part, dice):
    """The ratio of the two, and between which it lies in 95 of 100 draws of whole runs and rounds."""
    draw = lambda runs: [wait for _ in runs for wait in dice.choices(runs[dice.randrange(len(runs))], k=200)]
    both = sorted(at(draw(busy), part) / at(draw(idle), part) for _ in range(400))
    whole = at([wait for run in busy for wait in run], part) / at([wait for run in idle for wait in run], part)
    return f"{whole:.2f} ({both[10]:.2f} to {both[389]:.2f})"


def main():
    args = arguments()
    args.out.mkdir(parents=True)
    scratch = Path(tempfile.mkdtemp(prefix="aura-load-"))
    reports = {"idle": [], "busy": []}
    try:
        postgres = Postgres(args, scratch)
        for pair in range(1, args.pairs + 1):
            reports["idle"].append(run(args, postgres, f"idle-{pair}", 1, 0))
            reports["busy"].append(run(args, postgres, f"busy-{pair}", args.watchers, args.calls))
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    dice = random.Random(1)
    for measure in MEASURES:
        idle, busy = ([report[measure]["all"] for report in reports[kind]] for kind in ("idle", "busy"))
        if not all(run for run in idle + busy):
            print(f"{measure}: nothing was told in one of the runs")
            continue
        parts = ", ".join(f"p{int(part * 100)} {ratio(busy, idle, part, dice)}" for part in (0.5, 0.99))
        print(f"{measure}: busy to idle {parts}")
    sys.exit(0 if all(report["clean"] for kind in reports.values() for report in kind) else 1)


if __name__ == "__main__":
    os.chdir(ROOT)
    main()
