#!/usr/bin/env python3
"""What the runs of compare.py say: ratios to the reference with their 95 % interval, as Markdown tables.

    benches/load/ratios.py benches/load/runs/DIR
"""

import json
import math
import re
import statistics
import sys
from collections import defaultdict
from pathlib import Path

NAMES = {"reference": "reference", "fixed": "Aura, fixed block", "retrieval": "Aura, retrieval"}
# 97.5 % quantiles of Student's t by degrees of freedom.
T = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228]
# Reasons for which a turn is not searched at all.
UNSEARCHED = {"short_turn", "locked", "reminder", "fixed_context"}
SEARCHES = re.compile(r'^aura_retrievals_total\{(?=.*hit="(\w+)")(?=.*reason="(\w+)").*\} (\d+)', re.MULTILINE)


def load(folder):
    """(kind, calls, row) to {pair: step}; an Aura's step holds its searches by (hit, reason)."""
    runs = defaultdict(dict)
    for file in sorted(folder.glob("*.json")):
        kind, row, calls, pair = file.stem.split("-")
        step = json.loads(file.read_text())["steps"][0]
        metrics = file.with_suffix(".metrics")
        text = metrics.read_text() if metrics.exists() else ""
        step["searches"] = {(hit, reason): int(count) for hit, reason, count in SEARCHES.findall(text)}
        runs[kind, int(calls), row][int(pair)] = step
    return runs


def interval(values):
    """Mean and half the width of its 95 % interval (Student's t, one value a pair); no width for one pair."""
    mean = statistics.fmean(values)
    if len(values) < 2:
        return mean, None
    freedom = len(values) - 1
    # Past the table, the first terms of the quantile's expansion in 1/freedom.
    t = T[freedom - 1] if freedom <= len(T) else 1.960 + 2.372 / freedom + 2.822 / freedom**2
    return mean, t * statistics.stdev(values) / math.sqrt(len(values))


def ratio(ours, theirs):
    """The geometric mean of the pairs' ratios; its interval is that of their logarithms."""
    logs = [math.log(a / b) for a, b in zip(ours, theirs) if a > 0 and b > 0]
    if not logs:
        return "–"
    mean, width = interval(logs)
    if width is None:
        return f"{math.exp(mean):.2f}"
    return f"{math.exp(mean):.2f} ({math.exp(mean - width):.2f}–{math.exp(mean + width):.2f})"


def difference(ours, theirs):
    mean, width = interval([a - b for a, b in zip(ours, theirs)])
    return f"{mean:+.1f}" if width is None else f"{mean:+.1f} ({mean - width:+.1f} to {mean + width:+.1f})"


def paired(ours, theirs, figure):
    """The figure of both, pair by pair, where both have one."""
    both = sorted(ours.keys() & theirs.keys())
    values = [(figure(ours[pair]), figure(theirs[pair])) for pair in both]
    return [a for a, _ in values], [b for _, b in values]


def middle(steps, figure):
    return statistics.median(figure(step) for step in steps)


def p50(step):
    return step["overhead_ms"]["p50"]


def p99(step):
    return step["overhead_ms"]["p99"]


def errors(steps):
    return sum(sum(step["errors"].values()) for step in steps)


def foreign_ms(step):
    """CPU of everything but server, mock and generator, by turns: the server's Postgres and the machine's own."""
    return step["host"]["foreign_pct"] * 10 / step["turns_per_s"] if step["turns_per_s"] else 0


def refused(steps):
    """Share of the searches that failed or were refused: those turns went on without a manual."""
    failed = sum(n for step in steps for (_, reason), n in step["searches"].items() if reason == "search_failed")
    done = sum(n for step in steps for (_, reason), n in step["searches"].items() if reason not in UNSEARCHED)
    return f"{failed} of {done}" if done else "none"


def overhead_table(runs):
    lines = [
        "| calls | server | p50 / p99 ms | p50 × reference | p99 × reference | p99 above fixed, ms | KB a call "
        "| CPU ms a turn (+ others) | searches refused | errors |",
        "| --: | --- | --: | --: | --: | --: | --: | --: | --: | --: |",
    ]
    for (kind, calls, row), steps in ordered(runs):
        if kind != "overhead":
            continue
        reference, fixed = runs.get((kind, calls, "reference"), {}), runs.get((kind, calls, "fixed"), {})
        ratios = [ratio(*paired(steps, reference, figure)) for figure in (p50, p99)]
        above = paired(steps, fixed, p99)
        all_of = list(steps.values())
        cells = [
            calls, NAMES[row], f"{middle(all_of, p50):.2f} / {middle(all_of, p99):.2f}",
            *(ratios if row != "reference" else ["", ""]),
            difference(*above) if row == "retrieval" and above[0] else "",
            f"{middle(all_of, lambda step: step['server']['rss_per_call_kb']):.0f}",
            f"{middle(all_of, lambda step: step['server']['cpu_ms_per_turn']):.2f} "
            f"(+ {middle(all_of, foreign_ms):.2f})",
            refused(all_of) if row != "reference" else "", errors(all_of),
        ]
        lines.append("| " + " | ".join(str(cell) for cell in cells) + " |")
    return lines


def aborts_table(runs):
    lines = [
        "| calls | server | interruptions | stale frames | generations aborted | ms to abort p50 / p99 | errors |",
        "| --: | --- | --: | --: | --: | --: | --: |",
    ]
    for (kind, calls, row), steps in ordered(runs):
        if kind != "aborts":
            continue
        all_of = list(steps.values())
        barges = [step["barge"] for step in all_of]
        count = sum(barge["count"] for barge in barges)
        stale = sum(barge["stale_frames"]["mean"] * barge["stale_frames"]["count"] for barge in barges)
        aborted = sum(barge["cancel_ms"]["count"] for barge in barges)
        took = [middle(barges, lambda barge: barge["cancel_ms"][q]) for q in ("p50", "p99")]
        cells = [
            calls, NAMES[row], count, round(stale), f"{aborted} of {count}",
            f"{took[0]:.2f} / {took[1]:.2f}", errors(all_of),
        ]
        lines.append("| " + " | ".join(str(cell) for cell in cells) + " |")
    return lines


def ordered(runs):
    rows = list(NAMES)
    return sorted(runs.items(), key=lambda item: (item[0][0], item[0][1], rows.index(item[0][2])))


def tables(folder):
    runs = load(Path(folder))
    steps = [step for pairs in runs.values() for step in pairs.values()]
    stolen = max((max(step["host"]["steal_pct"], default=0) for step in steps), default=0)
    pairs = max((len(pairs) for (kind, *_), pairs in runs.items() if kind == "overhead"), default=0)
    return "\n".join([
        *overhead_table(runs), "", *aborts_table(runs), "",
        f"{pairs} pairs; p50 and p99 are medians over them; in brackets 95 % intervals (Student's t over the pairs:",
        f"of log ratios, of differences). Most that the hypervisor took of a CPU in a step: {stolen:.1f} %.",
    ])


if __name__ == "__main__":
    print(tables(sys.argv[1]))
