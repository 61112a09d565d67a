"""Twenty seeded seconds of the fuzzer over every importer."""

from __future__ import annotations

from tests.fuzz_importers import importers, run, seeds

SECONDS = 20.0


def test_no_importer_lets_anything_but_a_refusal_out() -> None:
    assert {suffix for suffix, _ in seeds()} >= {".csv", ".txt", ".xlsx", ".xml", ".gan", ".cabida", ".json"}
    assert set(importers()) == {suffix for suffix, _ in seeds()}
    assert run(SECONDS, seed=1) > 100
