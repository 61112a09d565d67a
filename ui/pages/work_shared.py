"""The third question of the Work page: what is shared, with its capacities, and the customer's limit.

Beside the assembly station stands the duration of its stage, so that a first quote needs one screen.
"""

from __future__ import annotations

from decimal import Decimal

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from estimator import edits
from estimator.evidence import ASSUMED, GIVEN, Evidence, Stated, StatedDuration
from estimator.problems import Place
from estimator.quote import Quote, ResourceKind, SharedResource
from estimator.wording import Wording
from ui.pages.new_quote import resource_name, resource_unit
from ui.pages.work_edits import (
    needs_of,
    station_stage,
    with_amount,
    with_assembly,
    with_capacity,
    with_capacity_evidence,
    with_shared,
    without_kind,
)
from ui.pages.work_fields import Ask, in_a_row, show_duration, show_number, show_stated_duration, titled_box
from ui.theme import TextRole, Theme
from ui.widgets.evidence_button import EvidenceButton
from ui.widgets.field import Field
from ui.widgets.number_field import Duration, DurationField, NumberField

_LEAST = 44
_INDENT = 22


class SharedBox(QObject):
    """Ticks for storage, licences, link and station; each opens its rows. `rebuilt`: the rows are others."""

    rebuilt = Signal()

    def __init__(self, words: Wording, theme: Theme, ask: Ask) -> None:
        super().__init__()
        self._words = words
        self._theme = theme
        self._ask = ask
        self.frame, column = titled_box(theme, words.t("3. What is shared?"))
        self.sections: dict[ResourceKind, _Section] = {}
        for kind, text in (
            (ResourceKind.STORAGE, words.t("Storage")),
            (ResourceKind.LICENCE, words.t("Licences")),
            (ResourceKind.LINK, words.t("Link between cards")),
            (ResourceKind.STATION, words.t("Assembly station")),
        ):
            section = _Section(text)
            section.tick.clicked.connect(lambda on, kind=kind: self._ticked(kind, on))
            self.sections[kind] = section
            column.addWidget(section)
        column.addStretch(1)
        self.limit = DurationField(words)
        self.limit.line.setPlaceholderText(words.t("optional"))
        self.limit.committed.connect(self._limit_typed)
        self.limit_evidence = EvidenceButton(words, theme)
        self.limit_evidence.committed.connect(self._limit_evidence_changed)
        self._limit_field = Field(
            theme, words.t("Customer's limit, from the start"), self.limit, beside=self.limit_evidence
        )
        column.addWidget(self._limit_field)
        self.rows: dict[str, ResourceRow] = {}
        self._shown: tuple[tuple[str, bool], ...] | None = None

    @property
    def fields(self) -> dict[Place, Field]:
        """The fields by the place that each edits."""
        found: dict[Place, Field] = {("workload", "limit"): self._limit_field}
        for id_, row in self.rows.items():
            found["workload", "resources", id_] = row.capacity_field
        return found

    def show_quote(self, quote: Quote) -> None:
        """Show what the quote says; rows are made anew only where the resources are others."""
        resources = quote.workload.resources
        now = tuple((one.id, station_stage(quote, one.id) is not None) for one in resources)
        if now != self._shown:
            self._shown = now
            self._make_rows(quote)
            self.rebuilt.emit()
        for kind, section in self.sections.items():
            of_kind = [one for one in resources if one.kind is kind]
            section.tick.setChecked(bool(of_kind))
        for resource in resources:
            self.rows[resource.id].show_resource(quote, resource, self._several(quote, resource))
        limit = quote.workload.limit
        show_stated_duration(self.limit, limit, self.limit.duration.unit)
        self.limit_evidence.set_evidence(
            self._words.t("Customer's limit"), None if limit is None else limit.evidence
        )

    def assembly_field(self) -> DurationField | None:
        """Return the duration beside the first station, None where there is no station."""
        return next((row.minutes for row in self.rows.values() if row.minutes is not None), None)

    def _several(self, quote: Quote, resource: SharedResource) -> bool:
        return sum(one.kind is resource.kind for one in quote.workload.resources) > 1

    def _make_rows(self, quote: Quote) -> None:
        for section in self.sections.values():
            section.clear()
        self.rows = {}
        for resource in quote.workload.resources:
            row = ResourceRow(
                self._words, self._theme, self._ask, resource, station_stage(quote, resource.id) is not None
            )
            self.rows[resource.id] = row
            self.sections[resource.kind].add(row, row.evidence)
        for resource in quote.workload.resources:
            if self._several(quote, resource):
                self.rows[resource.id].take_evidence()

    def _ticked(self, kind: ResourceKind, on: bool) -> None:
        words, name = self._words, resource_name(kind, self._words)
        if not on:
            self._ask(words.t("no longer share: {resource}", resource=name), lambda q: without_kind(q, kind))
        elif kind is ResourceKind.STATION:
            stage_name = words.t("Assembly")
            self._ask(words.t("add the assembly station"), lambda q: with_assembly(q, stage_name, name))
        else:
            unit = resource_unit(kind)
            self._ask(words.t("share: {resource}", resource=name), lambda q: with_shared(q, kind, name, unit))

    def _limit_typed(self, value: object) -> None:
        if not isinstance(value, Duration):
            return
        stated = None
        if value.value is not None:
            stated = StatedDuration(value=value.value, unit=value.unit, evidence=GIVEN)

        def edit(quote: Quote) -> Quote:
            former = quote.workload.limit
            if stated is None or former is None:
                return edits.with_workload(quote, limit=stated)
            return edits.with_workload(quote, limit=former.replaced(value=stated.value, unit=stated.unit))

        self._ask(self._words.t("change the customer's limit"), edit)

    def _limit_evidence_changed(self, evidence: object) -> None:
        def edit(quote: Quote) -> Quote:
            limit = quote.workload.limit
            if limit is None or not isinstance(evidence, Evidence):
                return quote
            return edits.with_workload(quote, limit=limit.replaced(evidence=evidence))

        self._ask(self._words.t("change the evidence of the customer's limit"), edit)


class ResourceRow(QWidget):
    """The capacity of one resource, and what a task takes of it or, of a station, how long its stage takes."""

    def __init__(
        self, words: Wording, theme: Theme, ask: Ask, resource: SharedResource, has_stage: bool
    ) -> None:
        super().__init__()
        self._words = words
        self._ask = ask
        self._id = resource.id
        self._name = resource.name
        self.minutes: DurationField | None = None
        self.amount: NumberField | None = None
        self._title = QLabel()
        self._title.setFont(theme.font(TextRole.SECONDARY))
        self.evidence = EvidenceButton(words, theme, resource.unit)
        self.evidence.committed.connect(self._evidence_changed)
        self.capacity = NumberField(words, minimum=Decimal(0))
        self.capacity.setMinimumWidth(_LEAST)
        self.capacity.committed.connect(self._capacity_typed)
        self.capacity_field = Field(theme, self._capacity_label(resource), self.capacity)
        second: Field | None = None
        if resource.kind is ResourceKind.STATION and has_stage:
            self.minutes = DurationField(words)
            self.minutes.line.setMinimumWidth(_LEAST)
            self.minutes.committed.connect(self._minutes_typed)
            second = Field(theme, words.t("Takes"), self.minutes)
        elif resource.kind is not ResourceKind.STATION:
            self.amount = NumberField(words, minimum=Decimal(0))
            self.amount.setMinimumWidth(_LEAST)
            self.amount.committed.connect(self._amount_typed)
            second = Field(theme, words.t("Per task"), self.amount)
        column = QVBoxLayout(self)
        column.setContentsMargins(_INDENT, 0, 0, 0)
        column.setSpacing(2)
        self._head = QHBoxLayout()
        self._head.setSpacing(8)
        self._head.addWidget(self._title, 1)
        column.addLayout(self._head)
        if second is None:
            column.addWidget(self.capacity_field)
        else:
            stretches = (1, 3) if self.minutes is not None else (1, 1)
            column.addLayout(in_a_row(self.capacity_field, second, stretches=stretches))
        for field, label in (
            (self.capacity, self._capacity_label(resource)),
            (self.amount, words.t("Per task")),
        ):
            if field is not None:
                field.setAccessibleName(words.t("{resource}: {field}", resource=resource.name, field=label))

    def take_evidence(self) -> None:
        """Put the chip beside the resource's own name: the tick above stands for several."""
        self._head.addWidget(self.evidence)

    def show_resource(self, quote: Quote, resource: SharedResource, several: bool) -> None:
        """Show the resource; its name only where the kind alone does not say which."""
        self._name = resource.name
        self._title.setText(resource.name)
        self._title.setVisible(several)
        show_number(self.capacity, resource.capacity.value)
        self.evidence.set_evidence(resource.name, resource.capacity.evidence)
        if self.amount is not None:
            amounts = {need.amount.value for need in needs_of(quote, resource.id)}
            self.amount.setEnabled(bool(amounts))
            self.amount.setPlaceholderText(self._words.t("by stage") if len(amounts) > 1 else "")
            show_number(self.amount, next(iter(amounts)) if len(amounts) == 1 else None)
        stage = station_stage(quote, resource.id)
        if self.minutes is not None and stage is not None:
            self.minutes.setAccessibleName(self._words.t("Duration of {stage}", stage=stage.name))
            equal = len(stage.tasks.duration) == 1
            self.minutes.setEnabled(equal)
            show_duration(self.minutes, stage.tasks.duration[0] if equal else None, stage.tasks.unit)

    def _capacity_label(self, resource: SharedResource) -> str:
        if resource.kind is ResourceKind.STATION:
            return self._words.t("Stations")
        if resource.kind is ResourceKind.LICENCE:
            return self._words.t("Licences at once")
        return self._words.t("Capacity, {unit}", unit=resource.unit or resource_unit(resource.kind))

    def _capacity_typed(self, value: object) -> None:
        number = value if isinstance(value, Decimal) else None
        self._ask(
            self._words.t("change the capacity of {resource}", resource=self._name),
            lambda quote: with_capacity(quote, self._id, number),
        )

    def _evidence_changed(self, evidence: object) -> None:
        if isinstance(evidence, Evidence):
            self._ask(
                self._words.t("change the evidence of {stage}", stage=self._name),
                lambda quote: with_capacity_evidence(quote, self._id, evidence),
            )

    def _amount_typed(self, value: object) -> None:
        number = value if isinstance(value, Decimal) else None

        def edit(quote: Quote) -> Quote:
            needs = needs_of(quote, self._id)
            former = needs[0].amount if needs else Stated(evidence=ASSUMED)
            return with_amount(quote, self._id, former.replaced(value=number))

        self._ask(self._words.t("change what a task takes of {resource}", resource=self._name), edit)

    def _minutes_typed(self, value: object) -> None:
        if not isinstance(value, Duration):
            return

        def edit(quote: Quote) -> Quote:
            stage = station_stage(quote, self._id)
            if stage is None:
                return quote
            return edits.with_tasks(quote, stage.id, duration=(value.value,), unit=value.unit)

        self._ask(self._words.t("change the duration of {stage}", stage=self._name), edit)


class _Section(QWidget):
    """A tick, a chip that says how its capacity is known, and the rows it opens."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tick = QCheckBox(text)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._head = QHBoxLayout()
        self._head.setSpacing(8)
        self._head.addWidget(self.tick, 1)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(4)
        self._column.addLayout(self._head)
        self._rows: list[QWidget] = []

    def add(self, row: QWidget, chip: QWidget) -> None:
        """Open a row under the tick, its chip beside the tick."""
        self._rows += [row, chip]
        self._head.addWidget(chip)
        self._column.addWidget(row)

    def clear(self) -> None:
        """Close the rows."""
        for row in self._rows:
            self._column.removeWidget(row)
            self._head.removeWidget(row)
            row.hide()
            row.deleteLater()
        self._rows = []
