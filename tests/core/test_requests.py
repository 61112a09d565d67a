"""The capacity request in the words of Slurm, Kubernetes and Ray: what it asks for, and that no name breaks it."""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
from pathlib import Path

import pytest

from estimator.exports.requests import Scheduler, StageRequest, request_text, stage_requests
from estimator.problems import Absent
from estimator.quote import Quote, Stage, Tasks, Workload
from estimator.storage import read_quote
from tests.quotes import compared

SAMPLES = sorted((Path(__file__).parents[2] / "resources" / "samples").glob("*.cabida"))


def sample(name: str) -> Quote:
    return read_quote(next(file for file in SAMPLES if file.stem == name))


def text_of(quote: Quote, scheduler: Scheduler) -> str:
    text = request_text(compared(quote), scheduler)
    assert isinstance(text, str)
    return text


def test_a_stage_asks_for_its_cards_tasks_and_the_upper_end_of_its_time() -> None:
    requests = stage_requests(compared(sample("indice-de-las-obras")))
    assert not isinstance(requests, Absent)
    (one,) = requests  # the assembly is at a station
    # 8 conversions, two at once, one card each, 9 to 18 min: the limit is 18 min = 1080 s
    assert (one.tasks, one.at_once, one.cards, one.seconds) == (8, 2, 1, 1080)


def test_slurm_gets_an_array_with_a_limit_licences_and_what_it_waits_for() -> None:
    text = text_of(sample("consultation-notes"), Scheduler.SLURM)
    assert "--array=0-319%" in text
    assert "--licenses=transcription-licences:1" in text
    assert "--dependency=afterok:${job_" in text
    assert "--gpus-per-node=1" in text
    text = text_of(sample("indice-de-las-obras"), Scheduler.SLURM)
    assert "--array=0-7%2" in text
    assert "--time=0-00:18:00" in text


@pytest.mark.parametrize("file", SAMPLES, ids=lambda file: file.stem)
def test_every_sample_makes_a_script_that_the_shell_reads(file: Path) -> None:
    shell = shutil.which("bash")
    if shell is None:
        pytest.skip("bash is not installed")
    text = text_of(read_quote(file), Scheduler.SLURM)
    done = subprocess.run([shell, "-n"], input=text.encode(), capture_output=True, timeout=30, check=False)
    assert done.returncode == 0, done.stderr


def jobs(text: str) -> list[dict[str, object]]:
    return [json.loads(part) for part in text.split("\n---\n")[1:]]


@pytest.mark.parametrize("file", SAMPLES, ids=lambda file: file.stem)
def test_kubernetes_gets_one_indexed_job_a_stage(file: Path) -> None:
    quote = read_quote(file)
    found = jobs(text_of(quote, Scheduler.KUBERNETES))
    assert len(found) == sum(stage.on_cards for stage in quote.workload.stages)
    for job in found:
        spec = job["spec"]
        assert isinstance(spec, dict)
        assert spec["completionMode"] == "Indexed"
        assert 1 <= spec["parallelism"] <= spec["completions"]
        (container,) = spec["template"]["spec"]["containers"]
        assert container["resources"]["limits"]["nvidia.com/gpu"] >= 1


@pytest.mark.parametrize("file", SAMPLES, ids=lambda file: file.stem)
def test_ray_gets_python_that_parses(file: Path) -> None:
    text = text_of(read_quote(file), Scheduler.RAY)
    ast.parse(text)
    assert "@ray.remote(num_gpus=" in text


def test_names_of_the_planner_cannot_leave_their_comment() -> None:
    quote = sample("indice-de-las-obras")
    stages = tuple(
        stage.replaced(name="a\nrm -rf / #\u2028x") if stage.on_cards else stage
        for stage in quote.workload.stages
    )
    quote = quote.replaced(name="b\n$(reboot)", workload=quote.workload.replaced(stages=stages))
    for scheduler in Scheduler:
        text = text_of(quote, scheduler)
        assert not any(line.startswith(("rm", "$(reboot")) for line in text.splitlines())
    ast.parse(text_of(quote, Scheduler.RAY))


def test_without_a_timing_there_is_no_request_but_a_reason() -> None:
    quote = Quote(workload=Workload(stages=(Stage(id="s", name="Solve", tasks=Tasks()),)))
    found = request_text(compared(quote), Scheduler.SLURM)
    assert isinstance(found, Absent)


def test_a_stage_waits_through_stations() -> None:
    quote = sample("consultation-notes")
    requests = stage_requests(compared(quote))
    assert not isinstance(requests, Absent)
    by_id: dict[str, StageRequest] = {one.id: one for one in requests}
    assert any(one.after for one in requests)
    assert all(set(one.after) <= set(by_id) for one in requests)
