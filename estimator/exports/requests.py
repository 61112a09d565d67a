"""The capacity request in the words of a cluster's own scheduler: Slurm, Kubernetes, Ray.

What is asked for, never what is run: each stage's command is a place to fill. A stage that waits for another is
submitted after it. What the scheduler has no word for (memory of each card, a shared rate) stands as a comment.
"""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from enum import StrEnum

from estimator.evidence import span_of
from estimator.problems import Absent
from estimator.quote import Quote, ResourceKind, Stage, StageKind
from estimator.results.estimate import Estimate, OrganisationResult, Timing
from estimator.units import MS_PER, MS_PER_SECOND

MOST_KUBERNETES_NAME = 63
MOST_SLURM_LINE = 200


class Scheduler(StrEnum):
    """Whose words the request is written in."""

    SLURM = "slurm"
    KUBERNETES = "kubernetes"
    RAY = "ray"


@dataclass(frozen=True, slots=True)
class StageRequest:
    """What one stage on cards asks of a cluster. `seconds`: the longest task at the upper end of its range.

    Where cards are sliced each task has one slice: of the profile `slice_name`, or of a card that `sharing` tasks
    share.
    """

    id: str
    name: str
    after: tuple[str, ...]
    tasks: int
    at_once: int
    cards: int
    seconds: int
    peak_bytes: int | None
    licences: tuple[tuple[str, int], ...]
    rates: tuple[tuple[str, Decimal, str], ...]
    slice_name: str = ""
    sharing: int = 1


def stage_requests(estimate: Estimate) -> tuple[StageRequest, ...] | Absent:
    """Return what the stages of the shown organisation ask for; Absent with the reason where it has no timing.

    A stage off the cards asks for none: the stages after it wait for those before it.
    """
    shown = estimate.shown
    if shown is None:
        return Absent("no_organisation", ("organisations",))
    if isinstance(shown.timing, Absent):
        return shown.timing
    quote = estimate.quote
    return tuple(
        _request(quote, shown, shown.timing, stage) for stage in quote.workload.stages if stage.on_cards
    )


def request_text(estimate: Estimate, scheduler: Scheduler) -> str | Absent:
    """Return the request as a file's text, in the scheduler's own words; ended by a line break."""
    requests = stage_requests(estimate)
    if isinstance(requests, Absent):
        return requests
    writers = {Scheduler.SLURM: _slurm, Scheduler.KUBERNETES: _kubernetes, Scheduler.RAY: _ray}
    return writers[scheduler](_title(estimate.quote), requests)


def _request(quote: Quote, shown: OrganisationResult, timing: Timing, stage: Stage) -> StageRequest:
    layout = quote.organisation(shown.organisation_id)
    cards = 1 if layout is None else layout.layout(stage.id).cards_per_task
    cap = None if layout is None else layout.layout(stage.id).tasks_at_once
    slicing = None if layout is None else layout.slicing
    room = max(1, timing.places // cards)
    at_once = min(stage.tasks.total, room if cap is None else min(cap, room))
    memory = next((one for one in shown.memory if one.stage_id == stage.id), None)
    worst = None if memory is None or memory.missing else memory.worst
    licences, rates = [], []
    resources = {one.id: one for one in quote.workload.resources}
    for need in stage.needs:
        resource, amount = resources.get(need.resource_id), need.amount.value
        if resource is None or amount is None:
            continue
        if resource.kind is ResourceKind.LICENCE:
            whole = int(amount.to_integral_value(rounding=ROUND_CEILING))
            licences.append((_label(resource.name or resource.id), whole))
        else:
            rates.append((resource.name or resource.id, amount, resource.unit))
    return StageRequest(
        id=_label(stage.id),
        name=stage.name,
        after=tuple(_label(one) for one in _card_stages_before(quote, stage)),
        tasks=stage.tasks.total,
        at_once=at_once,
        cards=cards,
        seconds=_longest_seconds(stage, None if slicing is None else slicing.factor_span),
        peak_bytes=None if worst is None else worst.peak_bytes,
        licences=tuple(licences),
        rates=tuple(rates),
        slice_name="" if slicing is None or slicing.profile is None else slicing.name,
        sharing=1 if slicing is None or slicing.is_isolated else slicing.per_card,
    )


def _card_stages_before(quote: Quote, stage: Stage) -> tuple[str, ...]:
    """Return the stages on cards that a stage waits for, through stations and gates too."""
    found: dict[str, None] = {}
    waiting, seen = list(stage.after), set()
    while waiting:
        one = quote.workload.stage(waiting.pop(0))
        if one is None or one.id in seen:
            continue
        seen.add(one.id)
        if one.on_cards:
            found[one.id] = None
        else:
            waiting += one.after
    return tuple(found)


def _longest_seconds(stage: Stage, on_slice: tuple[Decimal, Decimal] | None) -> int:
    """A limit that the scheduler kills at must not be below what a task may take: the ranges' upper ends."""
    if stage.kind is StageKind.GATE:
        return 0
    per_ms = MS_PER[stage.tasks.unit]
    longest = max((one for one in stage.tasks.duration if one is not None), default=Decimal(0))
    upper = span_of(longest, stage.tasks.evidence)[1] * (1 if on_slice is None else on_slice[1])
    return int((upper * per_ms / MS_PER_SECOND).to_integral_value(rounding=ROUND_CEILING))


def _slurm(title: str, requests: tuple[StageRequest, ...]) -> str:
    lines = [
        "#!/bin/bash",
        f"# {title}",
        "# Fill in the command of each stage; it gets the number of its task.",
        "set -euo pipefail",
    ]
    for one in requests:
        variable = one.id.replace("-", "_")
        lines += ["", *(f"# {text}" for text in _remarks(one))]
        options = [
            f"--job-name={one.id}",
            f"--array=0-{one.tasks - 1}%{one.at_once}",
            "--nodes=1",
            "--ntasks=1",
        ]
        options += [_slurm_cards(one), f"--time={_slurm_time(one.seconds)}"]
        options += [f"--licenses={name}:{count}" for name, count in one.licences]
        if one.after:
            waits = ":".join(f"${{job_{name.replace('-', '_')}}}" for name in one.after)
            options.append(f"--dependency=afterok:{waits}")
        joined = " \\\n    ".join(options)
        lines.append(
            f"job_{variable}=$(sbatch --parsable \\\n    {joined} \\\n    --wrap='COMMAND \"$SLURM_ARRAY_TASK_ID\"')"
        )
    return "\n".join(lines) + "\n"


def _slurm_cards(one: StageRequest) -> str:
    """A slice by its profile, as MIG types are commonly named; a share as a shard, whose size is the site's."""
    if one.slice_name:
        return f"--gres=gpu:{one.slice_name}:1"
    return "--gres=shard:1" if one.sharing > 1 else f"--gpus-per-node={one.cards}"


def _slurm_time(seconds: int) -> str:
    """Days-hours:minutes:seconds, rounded up to a minute, which is what Slurm counts in."""
    minutes = max(1, -(-seconds // 60))
    days, rest = divmod(minutes, 24 * 60)
    return f"{days}-{rest // 60:02}:{rest % 60:02}:00"


def _kubernetes(title: str, requests: tuple[StageRequest, ...]) -> str:
    """One Indexed Job a stage (batch/v1). JSON is YAML; a job that waits is suspended until those before it end."""
    parts = [
        f"# {title}\n# Fill in image and command. Suspended jobs are resumed when those they wait for are complete."
    ]
    for one in requests:
        spec: dict[str, object] = {
            "completions": one.tasks,
            "parallelism": one.at_once,
            "completionMode": "Indexed",
            "suspend": bool(one.after),
            "template": {
                "spec": {
                    "restartPolicy": "Never",
                    "activeDeadlineSeconds": max(1, one.seconds),
                    "containers": [
                        {
                            "name": one.id[:MOST_KUBERNETES_NAME],
                            "image": "IMAGE",
                            "command": ["COMMAND", "$(JOB_COMPLETION_INDEX)"],
                            "resources": {"limits": {_kubernetes_resource(one): one.cards}},
                        }
                    ],
                }
            },
        }
        job = {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": {
                "name": one.id[:MOST_KUBERNETES_NAME],
                "annotations": {f"cabida/{key}": text for key, text in _notes(one).items()},
            },
            "spec": spec,
        }
        parts.append("---\n" + json.dumps(job, indent=2, ensure_ascii=False))
    return "\n".join(parts) + "\n"


def _kubernetes_resource(one: StageRequest) -> str:
    """NVIDIA's device plugin: MIG profiles under their names (mixed strategy), time-slicing as gpu.shared."""
    if one.slice_name:
        return f"nvidia.com/mig-{one.slice_name}"
    return "nvidia.com/gpu.shared" if one.sharing > 1 else "nvidia.com/gpu"


def _ray(title: str, requests: tuple[StageRequest, ...]) -> str:
    lines = [f"# {title}", "# Fill in the body of each stage.", "import ray", "", "ray.init()", ""]
    for one in requests:
        name = one.id.replace("-", "_")
        if not name.isidentifier():
            name = f"stage_{name}"
        lines += [*(f"# {text}" for text in _remarks(one))]
        lines += [
            f"@ray.remote(num_gpus={_ray_cards(one)}, max_retries=0)",
            f"def {name}(task):",
            "    raise NotImplementedError",
            "",
            f"waiting, done = list(range({one.tasks})), []",
            "running = []",
            "while waiting or running:",
            f"    while waiting and len(running) < {one.at_once}:",
            f"        running.append({name}.remote(waiting.pop(0)))",
            "    finished, running = ray.wait(running)",
            "    done += ray.get(finished)",
            "",
        ]
    return "\n".join(lines)


def _ray_cards(one: StageRequest) -> str:
    """A slice counts as a card of its own; of a shared card its part, which Ray takes in ten-thousandths."""
    return str(one.cards) if one.sharing == 1 else f"{10_000 // one.sharing / 10_000:.4f}"


def _remarks(one: StageRequest) -> list[str]:
    return [f"{key}: {text}" for key, text in _notes(one).items()]


def _notes(one: StageRequest) -> dict[str, str]:
    """What no scheduler has a word for, by an English key: these files are read by programs and their keepers."""
    notes = {"stage": _one_line(one.name)}
    if one.slice_name:
        notes["each-task-on-a-slice"] = one.slice_name
    if one.sharing > 1:
        notes["tasks-that-share-a-card"] = str(one.sharing)
    if one.peak_bytes is not None:
        part = "slice" if one.slice_name or one.sharing > 1 else "card"
        notes[f"memory-of-each-{part}-at-least-bytes"] = str(one.peak_bytes)
    for name, amount, unit in one.rates:
        notes[f"shared-{_label(name)}"] = f"{amount} {unit} a task".replace("  ", " ")
    for name, count in one.licences:
        notes[f"licence-{name}"] = f"{count} a task"
    return notes


def _title(quote: Quote) -> str:
    number = f"{quote.number}: " if quote.number else ""
    return _one_line(f"{number}{quote.name}") or "Capacity request"


def _one_line(text: str) -> str:
    """A comment must end where its line ends, whatever the planner typed."""
    kept = "".join(one if one.isprintable() else " " for one in text)
    return " ".join(kept.split())[:MOST_SLURM_LINE]


def _label(text: str) -> str:
    """A name that all three take: lower case letters, figures and hyphens, a letter first."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode("ascii").lower()
    label = re.sub(r"[^a-z0-9]+", "-", plain).strip("-") or "stage"
    return label if label[0].isalpha() else f"s-{label}"
