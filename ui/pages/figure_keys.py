"""F4 on a table's cell: the explanation of a figure of the answer, as the answer strip gives it."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from estimator.figures import FIGURES
from ui.pages.page import Page
from ui.presenting import explanation_content


def explain_figure(page: Page, anchor: QWidget, figure_id: str) -> None:
    """Explain a figure (see `FIGURES`) of the answer shown under `anchor`; nothing while there is none."""
    estimate = page.context.session.estimate
    if estimate is not None:
        page.explain(anchor, explanation_content(page.words, estimate, FIGURES.index(figure_id)))
