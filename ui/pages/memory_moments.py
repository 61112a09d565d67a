"""What the memory page says of a known model beside its bars: the strongest lever, what the forms rest on, and how
a moment's bytes come about."""

from __future__ import annotations

from dataclasses import dataclass

from estimator.evidence import EvidenceKind
from estimator.memory import Basis, Lever
from estimator.memory import StateClass as Held
from estimator.plan.forms import RANGES, ModelMemory
from estimator.plan.memory import memory_of
from estimator.plan.model_kinds import ModelKind, model_kind
from estimator.plan.models import model_memory
from estimator.problems import Absent
from estimator.quote import (
    DenoiserTrainingRecipe,
    ImageRecipe,
    ModelUse,
    Organisation,
    Quote,
    Recipe,
    TrainingRecipe,
    TranscriptionRecipe,
)
from estimator.results.memory import MemoryLine, PhaseMemory, StageMemory
from estimator.wording import Wording
from estimator.wording.phrases import (
    basis_text,
    host_memory_text,
    lever_name,
    memory_line_name,
    moment_name,
)
from ui.pages.memory_model_edits import use_of, with_lever
from ui.widgets.explanation import ExplanationContent, ExplanationRow


@dataclass(frozen=True, slots=True)
class LeverOffer:
    """A lever and the memory of the stage once it is pulled."""

    lever: Lever
    before: PhaseMemory
    after: PhaseMemory

    @property
    def saved_bytes(self) -> int:
        """By how much the peak falls, context and margin included."""
        return self.before.peak_bytes - self.after.peak_bytes


def model_of(quote: Quote, stage_id: str, organisation: Organisation | None) -> ModelMemory | Absent | None:
    """Return the ledger of a stage's model in an organisation, why there is none, or None without a model."""
    use = use_of(quote, stage_id)
    if use is None or organisation is None:
        return None
    layout = organisation.layout(stage_id)
    return model_memory(use, layout.division, layout.cards_per_task)


def strongest_lever(
    quote: Quote, stage_id: str, organisation: Organisation, model: ModelMemory, memory: StageMemory
) -> LeverOffer | None:
    """Return the lever that lowers the peak most, with context and margin; None where none does."""
    if not model.levers or memory.worst is None:
        return None
    lever = model.levers[0].lever
    pulled = with_lever(quote, stage_id, lever, organisation.id)
    tried = memory_of(pulled, pulled.organisation(organisation.id) or organisation)
    after = next((one.worst for one in tried if one.stage_id == stage_id), None)
    if after is None or after.peak_bytes >= memory.worst.peak_bytes:
        return None
    return LeverOffer(lever, memory.worst, after)


def lever_sentences(words: Wording, offer: LeverOffer, usable_bytes: int | None) -> tuple[str, str]:
    """Return what a lever saves, and where the peak goes."""
    head = words.t(
        "Lever with the largest effect: {lever}, −{memory}.",
        lever=lever_name(words, offer.lever),
        memory=words.memory(offer.saved_bytes),
    )
    peak = words.memory(offer.after.peak_bytes)
    if usable_bytes is not None:
        after, usable = words.memory_pair(offer.after.peak_bytes, usable_bytes)
        peak = words.t("{peak} of {usable}", peak=after, usable=usable)
    if offer.after.phase == offer.before.phase:
        return head, words.t("The peak stays at the same moment: {peak}.", peak=peak)
    moment = moment_name(words, offer.after.phase)
    return head, words.t("The peak moves to “{moment}”: {peak}.", moment=moment, peak=peak)


def foot_text(words: Wording, basis: Basis, memory: StageMemory) -> str:
    """Return what a form rests on, and what its cards ask for in the node's memory."""
    host = host_memory_text(words, memory)
    return f"{basis_text(words, basis)}. {host}" if host else basis_text(words, basis)


def basis_kind(basis: Basis) -> EvidenceKind:
    """Return the evidence that a form gives."""
    return RANGES[basis][0]


def moment_explanation(words: Wording, use: ModelUse, phase: PhaseMemory, basis: Basis) -> ExplanationContent:
    """Return how the bytes of one moment come about: its lines, and the formula of each."""
    lines = [line for line in phase.lines if line.size_bytes]
    said = [_formula(words, use, line) for line in lines]
    sizes = " + ".join(words.memory(line.size_bytes, 2) for line in lines)
    return ExplanationContent(
        title=moment_name(words, phase.phase),
        value=words.memory(phase.peak_bytes, 2),
        kind=phase.kind,
        formula_words=words.t("all that one card holds at that moment × (1 + margin) + context + buffers"),
        formula_numbers=f"{sizes} = {words.memory(phase.peak_bytes, 2)}",
        rows=tuple(
            ExplanationRow(memory_line_name(words, line.name), words.memory(line.size_bytes, 2), line.kind)
            for line in lines
        ),
        notes=(
            *(sentence for sentence in said if sentence),
            basis_text(words, basis),
        ),
    )


def _formula(words: Wording, use: ModelUse, line: MemoryLine) -> str:
    """Return the formula of a state class in words; nothing for the lines that a planner states."""
    if line.name not in {one.value for one in Held}:
        return ""
    recipe = use.recipe
    match Held(line.name):
        case Held.WEIGHTS:
            return words.t("Weights: parameters × bytes of one, as they are stored and divided.")
        case Held.GRADIENTS:
            return words.t("Gradients: those alive at that moment, trained parameters × bytes of one.")
        case Held.OPTIMIZER:
            return words.t("Optimiser: trained parameters × the bytes that it keeps for each.")
        case Held.KV_CACHE if isinstance(recipe, TranscriptionRecipe):
            return words.t(
                "KV cache: windows × (1,500 positions of sound + tokens) × elements × bytes of one."
            )
        case Held.KV_CACHE:
            return words.t("KV cache: requests × tokens held × elements a token × bytes of one.")
        case Held.ACTIVATIONS if isinstance(recipe, ImageRecipe | TranscriptionRecipe):
            return words.t("Activations: results that stay until the next part has read them.")
        case Held.ACTIVATIONS if isinstance(recipe, TrainingRecipe) and recipe.keep_products:
            return words.t(
                "Activations: each layer's input, every second product and the attention's output, "
                "and the rest of the layer that is recomputed."
            )
        case Held.ACTIVATIONS if _is_recomputed(recipe):
            return words.t("Activations: the inputs of each layer, and all of the layer that is recomputed.")
        case Held.ACTIVATIONS:
            return words.t("Activations: all that each layer keeps for its backward pass.")
        case Held.TEMPORARIES:
            return words.t("Temporaries: what the operation of that moment makes and frees at once.")
        case Held.EXCHANGE:
            return words.t("Exchange: parts gathered from the other cards, and parts on their way to them.")
        case Held.INPUTS if model_kind(use.source) is ModelKind.SPEECH:
            return words.t(
                "Inputs: windows × 3,000 frames × mel bands × bytes of one, and the tokens of text."
            )
        case Held.INPUTS if model_kind(use.source) is ModelKind.VISION:
            return words.t("Inputs: images × pixels × three colours × bytes of one.")
        case Held.INPUTS:
            return words.t("Inputs: tokens of the batch × bytes of one.")


def _is_recomputed(recipe: Recipe) -> bool:
    return isinstance(recipe, TrainingRecipe | DenoiserTrainingRecipe) and recipe.checkpointing
