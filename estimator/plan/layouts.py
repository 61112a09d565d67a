"""The layout of each stage at one look: a quote may have thousands of stages, and each of them asks."""

from __future__ import annotations

from estimator.quote import Organisation, StageLayout


class Layouts(dict[str, StageLayout]):
    """An organisation's layouts by stage id; the plainest one for a stage that has none."""

    def __init__(self, organisation: Organisation) -> None:
        # Reversed, so that of two layouts of one stage the first counts, as in `Organisation.layout`.
        super().__init__((layout.stage_id, layout) for layout in reversed(organisation.layouts))

    def __missing__(self, stage_id: str) -> StageLayout:
        return StageLayout(stage_id=stage_id)
