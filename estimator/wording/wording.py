"""`Wording`: one language and one number format, and every kind of text for people made from them.

Handed to each face through its constructor; there is no current language anywhere. It computes nothing and
reads no setting. Reading typed text back is in `reading.py`, the sentences of codes in `sentences.py`.
"""

from __future__ import annotations

import datetime as dt
import gettext
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from functools import cache
from importlib.resources import files

from estimator.evidence import EvidenceKind
from estimator.problems import Absent, FileRefused, Place, Problem
from estimator.units import TimeUnit
from estimator.wording import durations, numbers
from estimator.wording.gaps import gaps_of, keeps_gaps
from estimator.wording.names import CATALOGUE_FIELDS, COLLECTIONS, PLACES, WORDS
from estimator.wording.numbers import Number, NumberFormat
from estimator.wording.sentences import CONDITIONS, COUNTER_EXAMPLES, EVIDENCE, PLURAL_SENTENCES, SENTENCES

PLACE_SEPARATOR = " › "


class Language(StrEnum):
    """A language that is complete. English needs no catalogue: its sentences are the keys."""

    SPANISH = "es"
    ENGLISH = "en"


@dataclass(frozen=True, slots=True)
class Wording:
    """Text for people in one language and one number format. Immutable, cheap to make, safe on any thread."""

    language: Language
    number_format: NumberFormat

    # Sentences

    def t(self, sentence: str, /, **gaps: str) -> str:
        """Return the sentence in this language, its gaps filled after translation.

        `sentence` is a whole literal English sentence (the extractor reads it in the source); gaps are text
        already. Raises KeyError where a gap has no text.
        """
        return self._translated(sentence).format(**gaps)

    def n(self, one: str, many: str, count: int, /, **gaps: str) -> str:
        """Return the sentence for `count`: `one` or `many` in English, the plural form the language needs.

        {count} is filled with the formatted count unless it is given.
        """
        sentence = _plural(self.language, one, many, count)
        return sentence.format(**{"count": self.number(count), **gaps})

    def p(self, context: str, sentence: str, /, **gaps: str) -> str:
        """Return the sentence as said in a context: "Open" is a verb on a button, a state in a table."""
        return _in_context(self.language, context, sentence).format(**gaps)

    # Numbers

    @property
    def unknown(self) -> str:
        """What stands for a figure that is not known."""
        return numbers.UNKNOWN_TEXT

    def number(self, value: Number, digits: int | None = None, *, grouping: bool = True) -> str:
        """Return a number half up with `digits` decimals; without `digits`, with as few as it needs."""
        return numbers.number_text(value, self.number_format, digits, grouping)

    def percent(self, value: Number, digits: int | None = None) -> str:
        """Return "21 %" for 21 (per cent, not a fraction), with a space that does not break."""
        return numbers.percent_text(value, self.number_format, digits)

    def money(self, amount: Decimal, currency: str, *, symbol: bool = True, digits: int | None = None) -> str:
        """Return "0,77 €" or "12,50 USD" with the currency's own decimals.

        `symbol=False` gives the figure alone, for a column whose head names the currency; `digits` is for
        rates, which may be finer than the currency.
        """
        return numbers.money_text(amount, currency, self.number_format, symbol, digits)

    def memory(self, count_bytes: int, digits: int = 1) -> str:
        """Return bytes as "19,4 GiB"."""
        return numbers.memory_text(count_bytes, self.number_format, digits)

    def memory_pair(self, peak: int, usable: int) -> tuple[str, str]:
        """Return peak and usable (bytes), with more decimals where one would make them look equal."""
        return numbers.memory_pair_texts(peak, usable, self.number_format)

    def span(self, low: Number, high: Number, digits: int | None = None) -> str:
        """Return "9 a 18" or "9 to 18"; a span of one number is that number."""
        low_text, high_text = self.number(low, digits), self.number(high, digits)
        return low_text if low_text == high_text else self.t("{low} to {high}", low=low_text, high=high_text)

    # Time

    def duration(self, ms: int) -> str:
        """Return "58 min" under 120 min, "33 h 58 min" under 72 h, then "5 d 07 h"; under a minute "45 s"."""
        return durations.duration_text(ms, self.number_format)

    def duration_parts(self, ms: int) -> tuple[str, str]:
        """Return the same text as figure and unit, for a large figure: ("33 h 58", "min")."""
        return durations.duration_parts(ms, self.number_format)

    def duration_in(self, ms: int, unit: TimeUnit, digits: int | None = None) -> str:
        """Return the duration in one unit, such as "1,8 h"; without `digits`, at most two decimals."""
        return durations.duration_in_text(ms, unit, self.number_format, digits)

    def exact_duration(self, ms: int) -> str:
        """Return every part down to the millisecond: "1 d 9 h 58 min 12,5 s"."""
        return durations.exact_duration_text(ms, self.number_format)

    def date(self, day: dt.date) -> str:
        """Return 30/11/2026 in Spanish, 30 Nov 2026 in English."""
        return (
            durations.spanish_date(day) if self.language is Language.SPANISH else durations.english_date(day)
        )

    def date_time(self, moment: dt.datetime) -> str:
        """Return the date and the time of 24 h, in the zone that `moment` has."""
        return f"{self.date(moment)} {moment.hour:02d}:{moment.minute:02d}"

    def iso_week(self, day: dt.date) -> str:
        """Return "semana 49" or "week 49" (ISO 8601)."""
        return self.t("week {week}", week=str(day.isocalendar().week))

    # Words for values

    def evidence(self, kind: EvidenceKind) -> str:
        """Return the word of a chip: "Supuesto", "Assumed"."""
        return self._translated(EVIDENCE[kind])

    def word(self, choice: StrEnum) -> str:
        """Return the word of a choice, such as StageKind.GATE. Raises KeyError for one without a word."""
        word = WORDS[f"{type(choice).__name__}.{choice.value}"]
        return self._translated(word) if isinstance(word, str) else _in_context(self.language, *word)

    def problem(self, problem: Problem) -> str:
        """Return the sentence of a problem."""
        return self.sentence(problem.code, dict(problem.values))

    def absent(self, absent: Absent) -> str:
        """Return the sentence that says why a figure is not known."""
        return self.sentence(absent.code, dict(absent.values))

    def condition(self, code: str, values: Mapping[str, object] | None = None) -> str:
        """Return the claim that a derived condition makes. Raises KeyError for a code without one."""
        return self._filled(CONDITIONS[code], self._translated(CONDITIONS[code]), values or {})

    def counter_example(self, code: str, values: Mapping[str, object] | None = None) -> str:
        """Return the case of a counter-example. Raises KeyError for a code without one."""
        return self._filled(COUNTER_EXAMPLES[code], self._translated(COUNTER_EXAMPLES[code]), values or {})

    def refused(self, refusal: FileRefused) -> str:
        """Return the sentence that says why a file was not opened, saved or imported."""
        return self.sentence(refusal.code, refusal.values)

    def sentence(self, code: str, values: Mapping[str, object] | None = None) -> str:
        """Return the sentence of a code with its values as text. Raises KeyError for a code without one.

        A code in two forms (one, many) is chosen by its whole number `count`.
        """
        values = values or {}
        if code not in PLURAL_SENTENCES:
            return self._filled(SENTENCES[code], self._translated(SENTENCES[code]), values)
        one, many = PLURAL_SENTENCES[code]
        count = values["count"]
        if not isinstance(count, int):
            raise TypeError(f"{code} needs a whole number as count")
        return self._filled(many, _plural(self.language, one, many, count), values)

    def value(self, value: object, name: str = "") -> str:
        """Return a value of a sentence as text, by its type and the unit that its name ends in.

        `…_ms` is a duration, `…_bytes` memory, `…_percent` a percentage; (amount, currency) is money; a tuple
        of texts is a list. None is "—".
        """
        match value:
            case None:
                return self.unknown
            case EvidenceKind():
                return self.evidence(value)
            case StrEnum() if f"{type(value).__name__}.{value.value}" in WORDS:
                return self.word(value)
            case str():
                return str(value)
            case bool():
                raise TypeError("a claim has no text of its own")
            case dt.datetime():
                return self.date_time(value)
            case dt.date():
                return self.date(value)
            case (Decimal() as amount, str(currency)):
                return self.money(amount, currency)
            case tuple() | list():
                return ", ".join(self.value(part, name) for part in value)
            case int() if name.endswith("_ms"):
                return self.duration(value)
            case int() if name.endswith("_bytes"):
                return self.memory(value)
            case int() | float() | Decimal() if name.endswith("_percent"):
                return self.percent(value)
            case int() | float() | Decimal():
                return self.number(value)
        raise TypeError(f"no text for people of a {type(value).__name__}")

    def catalogue_field(self, name: str) -> str:
        """Return what a field of a lot, an hourly offer or a card is called."""
        return self._translated(CATALOGUE_FIELDS[name])

    def place(self, where: Place, names: Mapping[str, str] | None = None) -> str:
        """Return "Trabajo › Conversión › Duración"; `names`: the names behind the ids of rows."""
        words = []
        for index, part in enumerate(where):
            is_row = index > 0 and where[index - 1] in COLLECTIONS
            is_last = index == len(where) - 1
            if is_row:
                words.append((names or {}).get(part, part))
            elif part not in COLLECTIONS or is_last:
                words.append(
                    self._translated(PLACES[part]) if part in PLACES else (names or {}).get(part, part)
                )
        return PLACE_SEPARATOR.join(words)

    def _filled(self, sentence: str, translation: str, values: Mapping[str, object]) -> str:
        """Return the translation with those of the values that the sentence says."""
        said = {name: self.value(values[name], name) for name in gaps_of(sentence) if name in values}
        return translation.format(**said)

    def _translated(self, sentence: str) -> str:
        return _sentence(self.language, sentence)


@cache
def _catalogue(language: Language) -> gettext.NullTranslations:
    if language is Language.ENGLISH:
        return gettext.NullTranslations()
    with files("resources").joinpath("i18n", f"{language.value}.mo").open("rb") as compiled:
        return gettext.GNUTranslations(compiled)


# A translation whose gaps differ cannot be filled: the English sentence is better than a crash (Electrum does
# the same). The tests refuse such a catalogue; this is for one that a planner has replaced.


@cache
def _sentence(language: Language, sentence: str) -> str:
    translation = _catalogue(language).gettext(sentence) if sentence else sentence
    return translation if keeps_gaps(sentence, translation) else sentence


@cache
def _in_context(language: Language, context: str, sentence: str) -> str:
    translation = _catalogue(language).pgettext(context, sentence)
    return translation if keeps_gaps(sentence, translation) else sentence


def _plural(language: Language, one: str, many: str, count: int) -> str:
    sentence = one if count == 1 else many
    translation = _catalogue(language).ngettext(one, many, count)
    return translation if keeps_gaps(sentence, translation) else sentence
