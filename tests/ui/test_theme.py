"""The colours hold their contrast, the palette and the stylesheet follow the tokens, and a change is told."""

from __future__ import annotations

import itertools
from importlib.resources import files

import pytest
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from ui.theme import (
    CHART_CLASSES,
    DARK,
    HIGH_CONTRAST,
    LIGHT,
    Density,
    Scheme,
    TextRole,
    Theme,
    Tokens,
    chart_brush,
    chart_hatch,
    chart_ink,
    contrast,
    palette,
    stylesheet,
    tokens_of,
)

SCHEMES = pytest.mark.parametrize("tokens", [LIGHT, DARK, HIGH_CONTRAST], ids=lambda tokens: tokens.name)
TEXT_PAIRS = [
    *itertools.product(("text", "muted"), ("window", "surface", "raised", "header", "selection")),
    *itertools.product(("accent",), ("window", "surface", "raised", "accent_soft", "selection")),
    ("text", "accent_soft"),
    ("accent_text", "accent"),
    *((name, ground) for name in ("ok", "warn", "err") for ground in ("surface", f"{name}_soft")),
    ("text", "err_soft"),
]


def test_the_contrast_of_black_on_white_is_21() -> None:
    # WCAG 2.2: (1.0 + 0.05) / (0.0 + 0.05) = 21; and #767676 is the known grey that just passes at 4.54.
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21)
    assert contrast("#767676", "#FFFFFF") == pytest.approx(4.54, abs=0.01)


@SCHEMES
def test_every_text_pair_has_a_contrast_of_at_least_4_5(tokens: Tokens) -> None:
    for ink, ground in TEXT_PAIRS:
        assert contrast(getattr(tokens, ink), getattr(tokens, ground)) >= 4.5, (ink, ground)


@SCHEMES
def test_borders_of_controls_and_chart_fills_have_a_contrast_of_at_least_3(tokens: Tokens) -> None:
    for ground in ("surface", "window", "header"):
        assert contrast(tokens.control, getattr(tokens, ground)) >= 3
    for fill in tokens.charts:
        assert contrast(fill, tokens.surface) >= 3


@SCHEMES
@pytest.mark.parametrize("class_no", CHART_CLASSES)
def test_text_over_a_chart_class_reads_and_its_hatch_is_seen(tokens: Tokens, class_no: int) -> None:
    assert contrast(chart_ink(class_no, tokens), tokens.charts[class_no - 1]) >= 4.5
    assert contrast(chart_hatch(class_no, tokens), tokens.charts[class_no - 1]) >= 1.3


def test_chart_classes_have_hatches_but_the_first_and_thin_bars_have_none(qapp: QApplication) -> None:
    assert chart_brush(1, LIGHT).textureImage().isNull()
    for class_no in range(2, 8):
        assert not chart_brush(class_no, LIGHT).textureImage().isNull()
        assert chart_brush(class_no, LIGHT, hatched=False).color() == QColor(LIGHT.charts[class_no - 1])


def test_the_system_scheme_follows_the_desktop_and_an_override_does_not() -> None:
    assert tokens_of(Scheme.SYSTEM, desktop_is_dark=True) is DARK
    assert tokens_of(Scheme.SYSTEM) is LIGHT
    assert tokens_of(Scheme.LIGHT, desktop_is_dark=True) is LIGHT
    assert tokens_of(Scheme.HIGH_CONTRAST, desktop_is_dark=True) is HIGH_CONTRAST


@SCHEMES
def test_selected_text_keeps_the_colour_of_text(tokens: Tokens) -> None:
    made = palette(tokens)
    assert made.color(QPalette.ColorRole.HighlightedText) == QColor(tokens.text)
    assert made.color(QPalette.ColorRole.Highlight) == QColor(tokens.selection)
    assert made.color(QPalette.ColorRole.PlaceholderText) == QColor(tokens.muted)


@SCHEMES
def test_the_drawings_of_the_stylesheet_exist_in_the_colours_of_the_scheme(tokens: Tokens) -> None:
    icons = files("resources").joinpath("icons")
    sheet = stylesheet(tokens, Density.COMFORTABLE)
    for name, color in (("chevron", tokens.text), ("tick", tokens.accent_text)):
        assert f"style-{name}-{tokens.name}.svg" in sheet
        assert color in icons.joinpath(f"style-{name}-{tokens.name}.svg").read_text(encoding="utf-8")


def test_a_change_of_scheme_or_density_is_told_once(qtbot: QtBot) -> None:
    theme = Theme(Scheme.LIGHT)
    with qtbot.waitSignal(theme.changed):
        theme.set_scheme(Scheme.DARK)
    assert theme.tokens is DARK
    with qtbot.assertNotEmitted(theme.changed):
        theme.set_scheme(Scheme.DARK)
    former = theme.row_height()
    theme.set_density(Density.COMPACT)
    assert theme.row_height() < former


def test_fonts_scale_from_the_system_font_in_points(qapp: QApplication) -> None:
    theme = Theme()
    body = theme.font(TextRole.BODY).pointSizeF()
    assert theme.font(TextRole.FIGURE).pointSizeF() == pytest.approx(body * 23 / 13, rel=0.01)
    assert theme.font(TextRole.CHIP).pointSizeF() == pytest.approx(body * 11.5 / 13, rel=0.01)
