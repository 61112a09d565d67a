"""The model in the memory inspector: program or model, which one, what its configuration lacks, its recipe."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from estimator.catalogue import Catalogue, ModelRecord
from estimator.plan.image_models import doubles_for_guidance, pipeline_of
from estimator.plan.model_kinds import ModelKind, is_training, model_kind
from estimator.plan.models import architecture_of
from estimator.problems import FileRefused, Place, Problem, Severity
from estimator.quote import ModelSource, ModelUse, Quote
from estimator.wording import Wording
from ui.pages import memory_model_edits
from ui.pages.memory_model_combo import ModelCombo
from ui.pages.memory_model_edits import use_of
from ui.pages.memory_recipe import GenerationForm, RecipeForm, TrainingForm
from ui.pages.memory_recipe_media import FORMS, ImageForm
from ui.pages.memory_words import model_facts
from ui.session import Edit
from ui.theme import Theme
from ui.widgets.field import Field
from ui.widgets.number_field import NumberField
from ui.widgets.typed_line import TextField

_MOST_SIZE = Decimal(2**27)

Perform = Callable[[str, Edit], bool]


class ModelPanel(QWidget):
    """Chooses a stage's model. `config_asked`: a person wants to read a file; `kind_changed`: model or program."""

    config_asked = Signal()
    kind_changed = Signal()

    def __init__(self, words: Wording, theme: Theme, edit: Perform, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words = words
        self._theme = theme
        self._edit = edit
        self._quote = Quote()
        self._stage_id = ""
        self._wants_model = False
        self._missing: tuple[Problem, ...] = ()
        self._asked: dict[Place, Field] = {}
        self.program = QRadioButton(words.t("Another program, by phases"))
        self.model = QRadioButton(words.t("A model"))
        self._kinds = _group(self, self.model, self.program)
        self.models = ModelCombo(words)
        self.config = QPushButton(words.t("Read a config.json…"))
        self._facts = _sentence("muted")
        self._refusal = _sentence()
        self._problems = QWidget()
        self._asks = QVBoxLayout(self._problems)
        self.training = QRadioButton(words.t("Training"))
        self.generation = QRadioButton(words.t("Generation"))
        self._recipes = _group(self, self.training, self.generation)
        self.training_form = TrainingForm(words, theme, self._change)
        self.generation_form = GenerationForm(words, theme, self._change)
        self.forms: dict[str, RecipeForm] = {
            "training": self.training_form,
            "generation": self.generation_form,
        }
        """Those made so far, by the kind of recipe: the others are made when a model first asks for one."""
        self._lay_out()
        self._connect()

    @property
    def inputs(self) -> tuple[QWidget, ...]:
        """Everything that takes the focus, in reading order."""
        return (
            self.model,
            self.program,
            self.models,
            self.config,
            *self.missing,
            self.training,
            self.generation,
            *(one for form in self.forms.values() for one in form.inputs),
        )

    @property
    def missing(self) -> tuple[QWidget, ...]:
        """The inputs that ask for what a configuration lacks."""
        return tuple(field.input for field in self._asked.values())

    @property
    def has_model(self) -> bool:
        """Whether the stage has a model, or is to have one."""
        return self._wants_model or use_of(self._quote, self._stage_id) is not None

    def show_stage(self, quote: Quote, stage_id: str, catalogue: Catalogue) -> None:
        """Show the model of a stage."""
        if stage_id != self._stage_id:
            self._wants_model = False
        self._quote, self._stage_id = quote, stage_id
        use = use_of(quote, stage_id)
        (self.model if self.has_model else self.program).setChecked(True)
        self._whole.setVisible(self.has_model)
        self.models.show_models(catalogue.models, "" if use is None else use.source.name)
        self._show_source(use)
        self._show_recipe(use)

    def ask_for_model(self) -> None:
        """Show the choice of a model and give it the focus."""
        self._wants_model = True
        self.kind_changed.emit()
        self.models.setFocus()

    def show_refusal(self, refusal: FileRefused | None) -> None:
        """Say why a file was not read; None takes it away."""
        self._wants_model = self._wants_model or refusal is not None
        self._refusal.setText("" if refusal is None else self._words.refused(refusal))
        self._refusal.setVisible(refusal is not None)

    @property
    def refusal(self) -> str:
        """The sentence about a file that was not read, or empty."""
        return "" if self._refusal.isHidden() else self._refusal.text()

    @property
    def problems(self) -> tuple[str, ...]:
        """What is said of the configuration."""
        shown = [label for label in self._problems.findChildren(QLabel) if label.wordWrap()]
        return tuple(label.text() for label in shown if not label.isHidden() and label.text())

    def go_to(self, name: str) -> None:
        """Focus a field of the recipe, else what is missing first, else the choice of the model."""
        use = use_of(self._quote, self._stage_id)
        if use is not None and name and self._form_of(use).focus(name):
            return
        (self.missing[0] if self.missing else self.models).setFocus()

    def _show_source(self, use: ModelUse | None) -> None:
        facts = "" if use is None else model_facts(self._words, use.source)
        self._facts.setText(facts)
        self._facts.setVisible(bool(facts))
        problems = () if use is None else architecture_of(use.source).problems
        if problems != self._missing:
            self._missing = problems
            self._list_problems(problems, use)

    def _list_problems(self, problems: tuple[Problem, ...], use: ModelUse | None) -> None:
        """Ask for what is missing, and say the rest; a field that is still asked for keeps what is typed in it."""
        former, self._asked = self._asked, {}
        while (item := self._asks.takeAt(0)) is not None:
            widget = item.widget()
            if isinstance(widget, QLabel):
                widget.hide()
                widget.deleteLater()
        for problem in problems:
            if problem.severity is Severity.MISSING and use is not None and use.source.kind == "config":
                field = former.pop(problem.where, None) or self._ask(problem)
                self._asked[problem.where] = field
                self._asks.addWidget(field)
            else:
                label = _sentence("error" if problem.severity is Severity.ERROR else "warning")
                label.setText(self._words.problem(problem))
                self._asks.addWidget(label)
        for gone in former.values():
            gone.hide()
            gone.deleteLater()
        self._problems.setVisible(bool(problems))
        before: QWidget = self.config
        for one in self.missing:
            QWidget.setTabOrder(before, one)
            before = one

    def _ask(self, problem: Problem) -> Field:
        """Return the field that asks for what the configuration lacks, by the name that it has there."""
        where = problem.where[1:]
        line: NumberField | TextField
        if where[-1] == "model_type":
            line = TextField(self._words)
        else:
            line = NumberField(self._words, minimum=Decimal(0), maximum=_MOST_SIZE, whole=True)
        field = Field(self._theme, ".".join(where), line)
        field.set_problem(self._words.problem(problem), Severity.MISSING)
        line.committed.connect(lambda value: self._fill(where, value, line))
        return field

    def _fill(self, where: tuple[str, ...], value: object, line: QWidget) -> None:
        stated = int(value) if isinstance(value, Decimal) else value
        if not isinstance(stated, int | str) or stated == "":
            return
        id_, stays = self._stage_id, line.hasFocus()
        self._edit(
            self._words.t("state {field} of the model", field=".".join(where)),
            lambda quote: memory_model_edits.with_config_field(quote, id_, where, stated),
        )
        if stays:  # Enter, not Tab: the field is gone
            (self.missing[0] if self.missing else self.training).setFocus()

    def _show_recipe(self, use: ModelUse | None) -> None:
        kind = None if use is None else model_kind(use.source)
        self._recipe_part.setVisible(kind is not None)
        if use is None:
            return
        (self.training if is_training(use.recipe) else self.generation).setChecked(True)
        runs = _running_text(self._words, kind)
        self.generation.setText(runs)
        self.generation.setAccessibleName(runs)
        form = self._form_of(use)
        for one in self.forms.values():
            one.setVisible(one is form)
        pipeline = pipeline_of(use.source)
        denoiser = None if pipeline is None or pipeline.pipeline is None else pipeline.pipeline.denoiser
        if isinstance(form, ImageForm):
            form.offer_guidance(denoiser is None or doubles_for_guidance(denoiser))
        form.show_recipe(use.recipe)

    def _form_of(self, use: ModelUse) -> RecipeForm:
        """Return the form of a recipe; the first time, it is made and takes its place in the tab order."""
        key = use.recipe.kind if use.recipe.kind != "training" else _training_key(model_kind(use.source))
        form = self.forms.get(key)
        if form is None:
            form = self.forms[key] = FORMS[key](self._words, self._theme, self._change)
            form.hide()
            self._recipe_layout.addWidget(form)
            before: QWidget = self.generation
            for one in form.inputs:
                QWidget.setTabOrder(before, one)
                before = one
        return form

    def _lay_out(self) -> None:
        words = self._words
        column = _column(self)
        for radio in (self.model, self.program):
            column.addWidget(radio)
        self._whole = QWidget()
        whole = _column(self._whole)
        whole.addWidget(Field(self._theme, words.t("Model"), self.models))
        whole.addWidget(self._facts)
        whole.addWidget(self.config)
        whole.addWidget(self._refusal)
        self._asks.setContentsMargins(0, 0, 0, 0)
        self._asks.setSpacing(8)
        whole.addWidget(self._problems)
        self._recipe_part = QWidget()
        recipe = self._recipe_layout = _column(self._recipe_part)
        kinds = QHBoxLayout()
        kinds.setSpacing(16)
        kinds.addWidget(self.training)
        kinds.addWidget(self.generation)
        kinds.addStretch(1)
        recipe.addLayout(kinds)
        recipe.addWidget(self.training_form)
        recipe.addWidget(self.generation_form)
        whole.addWidget(self._recipe_part)
        column.addWidget(self._whole)
        for part in (self._facts, self._refusal, self._problems, self._recipe_part, self._whole):
            part.hide()

    def _connect(self) -> None:
        self.model.clicked.connect(self.ask_for_model)
        self.program.clicked.connect(self._choose_program)
        self.models.chosen.connect(self._choose_model)
        self.config.clicked.connect(self.config_asked)
        self.training.clicked.connect(lambda: self._choose_recipe(trains=True))
        self.generation.clicked.connect(lambda: self._choose_recipe(trains=False))

    def _choose_program(self) -> None:
        self._wants_model = False
        id_ = self._stage_id
        if use_of(self._quote, id_) is not None:
            self._edit(
                self._words.t("state the memory by phases"),
                lambda quote: memory_model_edits.without_model(quote, id_),
            )
        else:
            self.kind_changed.emit()

    def _choose_model(self, record: ModelRecord) -> None:
        self._put(memory_model_edits.catalogue_source(record), memory_model_edits.with_source)

    def take(self, source: ModelSource) -> None:
        """Put the model of a file into the stage, as one step."""
        self._put(source, memory_model_edits.with_read_source)

    def _put(self, source: ModelSource, put: Callable[[Quote, str, ModelSource], Quote]) -> None:
        id_ = self._stage_id
        self.show_refusal(None)
        self._wants_model = False  # from now on the quote says so, and undo with it
        self._edit(
            self._words.t("choose the model {model}", model=source.name),
            lambda quote: put(quote, id_, source),
        )

    def _choose_recipe(self, *, trains: bool) -> None:
        id_ = self._stage_id
        chosen = self.training if trains else self.generation
        self._edit(
            self._words.t("change the recipe to “{recipe}”", recipe=chosen.text()),
            lambda quote: memory_model_edits.with_recipe_kind(quote, id_, trains=trains),
        )

    def _change(self, label: str, changes: object) -> None:
        id_ = self._stage_id
        if isinstance(changes, dict):
            self._edit(
                self._words.t("change “{field}” of the recipe", field=label),
                lambda quote: memory_model_edits.with_recipe(quote, id_, changes),
            )


def _running_text(words: Wording, kind: ModelKind | None) -> str:
    """Return what it is called to run a model of a kind."""
    match kind:
        case ModelKind.SPEECH:
            return words.t("Transcription")
        case ModelKind.VISION:
            return words.t("Classification")
        case ModelKind.IMAGES:
            return words.t("Making images")
        case _:
            return words.t("Generation")


def _training_key(kind: ModelKind | None) -> str:
    return f"{kind.value}_training" if kind in (ModelKind.SPEECH, ModelKind.VISION) else "training"


def _group(parent: QWidget, *radios: QRadioButton) -> QButtonGroup:
    group = QButtonGroup(parent)
    for radio in radios:
        radio.setAccessibleName(radio.text())
        group.addButton(radio)
    return group


def _sentence(look: str = "error") -> QLabel:
    label = QLabel()
    label.setWordWrap(True)
    label.setProperty("look", look)
    return label


def _column(widget: QWidget) -> QVBoxLayout:
    column = QVBoxLayout(widget)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(8)
    return column
