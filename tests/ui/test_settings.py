"""Settings live in the file they are given, survive it, and fall back where it holds nonsense."""

from __future__ import annotations

from pathlib import Path

import pytest

from estimator.wording import Language, NumberFormat
from ui.settings import RECENT_FILES, Settings, data_folder, language_of, number_format_of
from ui.theme import Density, Scheme


def test_settings_are_read_back_by_a_second_reader(tmp_path: Path) -> None:
    file = tmp_path / "data" / "cabida.ini"
    first = Settings(file)
    first.language = Language.SPANISH
    first.number_format = NumberFormat.ES_MX
    first.scheme = Scheme.HIGH_CONTRAST
    first.density = Density.COMPACT
    first.last_page = 5
    first.tour_seen = True
    first.remember_widths("work", (200, 640))
    second = Settings(file)
    assert second.language is Language.SPANISH
    assert second.number_format is NumberFormat.ES_MX
    assert second.scheme is Scheme.HIGH_CONTRAST
    assert second.density is Density.COMPACT
    assert second.last_page == 5
    assert second.tour_seen
    assert second.widths("work") == (200, 640)


def test_nonsense_in_the_file_falls_back(tmp_path: Path) -> None:
    file = tmp_path / "cabida.ini"
    file.write_text(
        "[General]\nlanguage=klingon\nscheme=7\nlast_page=99\nrecent_files=\n[widths]\nwork=a, 2\n",
        encoding="utf-8",
    )
    settings = Settings(file, "es_ES")
    assert settings.language is Language.SPANISH
    assert settings.scheme is Scheme.SYSTEM
    assert settings.last_page == 0
    assert settings.recent_files == ()
    assert settings.widths("work") == ()
    assert not settings.tour_seen


@pytest.mark.parametrize(
    ("locale", "language", "number_format"),
    [
        ("es_ES", Language.SPANISH, NumberFormat.ES_ES),
        ("es_MX.UTF-8", Language.SPANISH, NumberFormat.ES_MX),
        ("es-419", Language.SPANISH, NumberFormat.ES_MX),
        ("es_CO", Language.SPANISH, NumberFormat.ES_ES),
        ("en_GB", Language.ENGLISH, NumberFormat.EN_GB),
        ("en_US", Language.ENGLISH, NumberFormat.EN_US),
        ("fr_FR", Language.ENGLISH, NumberFormat.EN_US),
        ("C", Language.ENGLISH, NumberFormat.EN_US),
    ],
)
def test_the_first_start_takes_language_and_format_from_the_system(
    locale: str, language: Language, number_format: NumberFormat
) -> None:
    assert language_of(locale) is language
    assert number_format_of(locale) is number_format


def test_recent_files_are_newest_first_without_repetition_and_ten_at_most(tmp_path: Path) -> None:
    settings = Settings(tmp_path / "cabida.ini")
    settings.remember_file(tmp_path / "a, b.cabida")
    assert settings.recent_files == (tmp_path / "a, b.cabida",)
    for number in range(12):
        settings.remember_file(tmp_path / f"{number}.cabida")
    settings.remember_file(tmp_path / "5.cabida")
    assert settings.recent_files[0] == tmp_path / "5.cabida"
    assert len(settings.recent_files) == len(set(settings.recent_files)) == RECENT_FILES
    for file in settings.recent_files:
        settings.forget_file(file)
    assert settings.recent_files == ()


def test_the_data_folder_is_the_stated_one_then_the_portable_one_then_the_desktops(tmp_path: Path) -> None:
    program = tmp_path / "bin" / "cabida"
    assert data_folder({"CABIDA_DATA": str(tmp_path / "own")}, program) == tmp_path / "own"
    assert data_folder({}, program).name == "cabida"
    (tmp_path / "bin" / "cabida-data").mkdir(parents=True)
    assert data_folder({}, program) == tmp_path / "bin" / "cabida-data"
