"""The form under the comparison: the key, assignment and mechanism of one organisation, and what to do with it."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QHBoxLayout,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from estimator import edits
from estimator.catalogue import Catalogue
from estimator.evidence import GIVEN, StatedDuration
from estimator.quote import AssignmentPolicy, Organisation, Quote, StageLayout
from estimator.wording import Wording
from estimator.wording.phrases import organisation_name
from ui.pages.organisations_rows import needs_mechanism
from ui.pages.organisations_slicing import SlicingRow
from ui.pages.work_fields import show_stated_duration
from ui.session import Edit
from ui.theme import TextRole, Theme
from ui.widgets.elided_combo import ElidedCombo
from ui.widgets.elided_label import ElidedLabel
from ui.widgets.field import Field
from ui.widgets.number_field import Duration, DurationField, NumberField
from ui.widgets.typed_line import TextField

MOST_CARDS = Decimal(4096)


class OrganisationForm(QFrame):
    """Edits one organisation through `edit(label, function)`, one field one step.

    `duplicated(id)` and `removed(id)`: the buttons; the page decides what is selected next.
    """

    duplicated = Signal(str)
    removed = Signal(str)

    def __init__(
        self,
        words: Wording,
        theme: Theme,
        edit: Callable[[str, Edit], bool],
        catalogue: Callable[[], Catalogue],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._words = words
        self._theme = theme
        self._edit = edit
        self._catalogue = catalogue
        self._quote = Quote()
        self._id = ""
        self._stage_id = ""
        self.setProperty("look", "box")
        self._title = ElidedLabel()
        self.reference = QPushButton(words.t("Make it the reference"))
        self.duplicate = QPushButton(words.t("Duplicate"))
        self.remove = QPushButton(words.p("organisation", "Remove"))
        self.name = TextField(words)
        self.stage = ElidedCombo()
        self.at_once = NumberField(words, minimum=Decimal(1), maximum=MOST_CARDS, whole=True)
        self.at_once.setPlaceholderText(words.t("as the limit allows"))
        self.per_task = NumberField(words, minimum=Decimal(1), maximum=MOST_CARDS, whole=True)
        self.policy = ElidedCombo()
        for policy in AssignmentPolicy:
            self.policy.addItem(words.word(policy), policy)
        self.mechanism = TextField(words)
        self.slicing = SlicingRow(words, theme)
        self.limit = DurationField(words)
        self.limit.line.setPlaceholderText(words.t("the customer's limit"))
        self._lay_out()
        self._connect()
        theme.changed.connect(self._dress)
        self._dress()

    @property
    def organisation_id(self) -> str:
        """The organisation in the form, or empty."""
        return self._id

    @property
    def inputs(self) -> tuple[QWidget, ...]:
        """Everything that takes the focus, in reading order."""
        return (
            self.slicing.use,
            self.reference,
            self.duplicate,
            self.remove,
            self.name,
            self.stage,
            self.at_once,
            self.per_task,
            self.policy,
            self.mechanism,
            self.limit.line,
            self.limit.units,
            *self.slicing.inputs,
        )

    def show_organisation(self, quote: Quote, organisation_id: str) -> None:
        """Show one organisation of the quote; an id that it does not hold hides the form."""
        organisation = quote.organisation(organisation_id)
        self._quote = quote
        self._id = "" if organisation is None else organisation.id
        self.setVisible(organisation is not None)
        if organisation is None:
            return
        name = organisation_name(organisation)
        self._title.setText(self._words.t("Edit {organisation}", organisation=name))
        self.setAccessibleName(self._title.text())
        reference = quote.reference
        self.reference.setEnabled(reference is None or reference.id != organisation.id)
        self.remove.setEnabled(len(quote.organisations) > 1)
        self._show_stages()
        layout = organisation.layout(self._stage_id)
        _show(self.name, organisation.name)
        _show(self.at_once, None if layout.tasks_at_once is None else Decimal(layout.tasks_at_once))
        _show(self.per_task, Decimal(layout.cards_per_task))
        self.policy.setCurrentIndex(list(AssignmentPolicy).index(layout.policy))
        _show(self.mechanism, organisation.mechanism)
        self._show_mechanism(organisation)
        self.slicing.show_use(quote, organisation, self._catalogue())
        show_stated_duration(self.limit, organisation.limit, self.limit.duration.unit)
        self._share_rows(organisation.limit is not None)

    def _show_stages(self) -> None:
        stages = [stage for stage in self._quote.workload.stages if stage.on_cards]
        ids = [stage.id for stage in stages]
        main = self._quote.workload.main_stage
        if self._stage_id not in ids:
            self._stage_id = "" if main is None else main.id
        shown = [(self.stage.itemText(at), self.stage.itemData(at)) for at in range(self.stage.count())]
        if shown != [(stage.name, stage.id) for stage in stages]:
            self.stage.clear()
            for stage in stages:
                self.stage.addItem(stage.name, stage.id)
        self.stage.setCurrentIndex(ids.index(self._stage_id) if self._stage_id in ids else -1)
        self._stage_field.setVisible(len(stages) > 1)
        for field in (self.at_once, self.per_task, self.policy):
            field.setEnabled(bool(stages))

    def _show_mechanism(self, organisation: Organisation) -> None:
        needed = needs_mechanism(self._quote, organisation)
        self.mechanism.setEnabled(needed or bool(organisation.mechanism))
        missing = needed and not organisation.mechanism.strip()
        self.mechanism.setPlaceholderText(
            self._words.t("DDP, FSDP, TP…") if needed else self._words.t("not needed")
        )
        self.mechanism.setProperty("problem", "error" if missing else "")
        self.mechanism.style().unpolish(self.mechanism)
        self.mechanism.style().polish(self.mechanism)

    def _lay_out(self) -> None:
        words = self._words
        top = QHBoxLayout()
        top.setSpacing(8)
        top.addWidget(self._title, 3)
        top.addWidget(self.slicing.use, 4)
        for button in (self.reference, self.duplicate, self.remove):
            top.addWidget(button)
        self._fields, self._below = QHBoxLayout(), QHBoxLayout()
        self._stage_field = Field(self._theme, words.t("Stage"), self.stage)
        for field, share in (
            (Field(self._theme, words.t("Name"), self.name), 3),
            (self._stage_field, 3),
            (Field(self._theme, words.t("Tasks at once"), self.at_once), 2),
            (Field(self._theme, words.t("Cards per task"), self.per_task), 2),
        ):
            self._fields.addWidget(field, share)
        self._how = (
            (Field(self._theme, words.t("Assignment"), self.policy), 4),
            (Field(self._theme, words.t("Mechanism"), self.mechanism), 2),
        )
        self._limit_field = Field(self._theme, words.t("Delivers within, at most"), self.limit)
        self._below.addWidget(self._limit_field, 3)
        for row in (self._fields, self._below):
            row.setSpacing(8)
        for combo in (self.stage, self.policy):
            combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            combo.setMinimumContentsLength(6)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 6, 12, 8)
        column.setSpacing(2)
        column.addLayout(top)
        column.addLayout(self._fields)
        column.addLayout(self._below)
        column.addWidget(self.slicing)
        self._share_rows(has_limit=False)

    def _share_rows(self, has_limit: bool) -> None:
        """Put how tasks are assigned beside the limit, where there is one: one row is too short for all."""
        self._limit_field.setVisible(has_limit)
        row = self._below if has_limit else self._fields
        for place, (field, share) in enumerate(self._how):
            if row.indexOf(field) < 0:
                row.insertWidget(place if has_limit else row.count(), field, share)

    def _connect(self) -> None:
        self.reference.clicked.connect(self._make_reference)
        self.duplicate.clicked.connect(lambda: self.duplicated.emit(self._id))
        self.remove.clicked.connect(lambda: self.removed.emit(self._id))
        self.name.committed.connect(self._name_typed)
        self.stage.activated.connect(self._stage_chosen)
        self.at_once.committed.connect(self._at_once_typed)
        self.per_task.committed.connect(self._per_task_typed)
        self.policy.activated.connect(self._policy_chosen)
        self.mechanism.committed.connect(self._mechanism_typed)
        self.slicing.changed.connect(self._slicing_changed)
        self.limit.committed.connect(self._limit_typed)

    def _dress(self) -> None:
        self._title.setFont(self._theme.font(TextRole.SECTION))

    def _name(self) -> str:
        organisation = self._quote.organisation(self._id)
        return self._id if organisation is None else organisation_name(organisation)

    def _stage_chosen(self, index: int) -> None:
        self._stage_id = str(self.stage.itemData(index))
        self.show_organisation(self._quote, self._id)

    def _make_reference(self) -> None:
        id_ = self._id
        self._edit(
            self._words.t("make {organisation} the reference", organisation=self._name()),
            lambda quote: quote.replaced(reference_id=id_),
        )

    def _name_typed(self, value: object) -> None:
        id_ = self._id
        self._edit(
            self._words.t("rename {organisation}", organisation=self._name()),
            lambda quote: edits.with_organisation(quote, id_, name=str(value)),
        )

    def _at_once_typed(self, value: object) -> None:
        count = int(value) if isinstance(value, Decimal) else None
        self._change_layout(
            self._words.t("change the tasks at once of {organisation}", organisation=self._name()),
            tasks_at_once=count,
        )

    def _per_task_typed(self, value: object) -> None:
        count = int(value) if isinstance(value, Decimal) else 1
        self._change_layout(
            self._words.t("change the cards per task of {organisation}", organisation=self._name()),
            cards_per_task=count,
        )

    def _policy_chosen(self, index: int) -> None:
        self._change_layout(
            self._words.t("change the assignment of {organisation}", organisation=self._name()),
            policy=AssignmentPolicy(self.policy.itemData(index)),
        )

    def _mechanism_typed(self, value: object) -> None:
        id_ = self._id
        self._edit(
            self._words.t("name the mechanism of {organisation}", organisation=self._name()),
            lambda quote: edits.with_organisation(quote, id_, mechanism=str(value)),
        )

    def _slicing_changed(self, label: str, slicing: object) -> None:
        id_ = self._id
        self._edit(label, lambda quote: edits.with_organisation(quote, id_, slicing=slicing))

    def _limit_typed(self, value: object) -> None:
        if not isinstance(value, Duration):
            return
        limit = None
        if value.value is not None:
            limit = StatedDuration(value=value.value, unit=value.unit, evidence=GIVEN)
        id_ = self._id
        self._edit(
            self._words.t("change the limit of {organisation}", organisation=self._name()),
            lambda quote: edits.with_organisation(quote, id_, limit=limit),
        )

    def _change_layout(self, label: str, **changes: object) -> None:
        id_, stage_id = self._id, self._stage_id
        self._edit(label, lambda quote: edits.with_layout(quote, id_, stage_id, **changes))


def duplicated_organisation(quote: Quote, organisation_id: str) -> Quote:
    """Return the quote with a copy of that organisation beside it, under the next letter."""
    source = quote.organisation(organisation_id)
    if source is None:
        return quote
    letter = edits.next_letter([one.id for one in quote.organisations])
    return quote.replaced(organisations=(*quote.organisations, source.replaced(id=letter, name=letter)))


def next_organisation(quote: Quote) -> Quote:
    """Return the quote with an organisation more: the reference's cards per task, twice the most at once."""
    main = quote.workload.main_stage
    layouts = [] if main is None else [one.layout(main.id) for one in quote.organisations]
    reference = quote.reference
    per_task = 1
    if reference is not None and main is not None:
        per_task = reference.layout(main.id).cards_per_task
    most = max((_at_once(layout) for layout in layouts), default=0)
    tasks = 1 if main is None else main.tasks.total
    return edits.added_organisation(quote, max(1, min(2 * most, tasks)), per_task)


def _at_once(layout: StageLayout) -> int:
    return layout.tasks_at_once or 0


def _show(field: TextField | NumberField, value: object) -> None:
    """Show a value where it is another one: a text that is being typed stays."""
    if field.value != value:
        field.show_value(value)
        field.setCursorPosition(0)
