"""The words of the memory page for a known model: choices of a recipe, ways to split, what a figure rests on.

Names of moments, lines and levers are shared by all faces and come from `estimator.wording`.
"""

from __future__ import annotations

from estimator.architecture import parameters
from estimator.architecture.image_pipeline import ImagePipeline
from estimator.plan.growth import grows_by_data
from estimator.plan.image_models import pipeline_of
from estimator.plan.model_kinds import ModelKind, model_kind
from estimator.plan.models import architecture_of, model_ledger
from estimator.problems import Absent
from estimator.quote import ModelSource, ModelSplit, ModelUse, SplitDegrees, WeightStorage
from estimator.wording import Wording

Choice = tuple[object, str]


def split_choices(words: Wording) -> tuple[tuple[ModelSplit, str], ...]:
    """Return the ways to split a model over the cards of a task, in words."""
    return (
        (ModelSplit.NONE, words.t("Not split")),
        (ModelSplit.REPLICAS, words.t("Replicas (DDP)")),
        (ModelSplit.OPTIMIZER_SHARDS, words.t("Optimiser state (ZeRO-1)")),
        (ModelSplit.FULL_SHARD, words.t("Everything in shards (FSDP)")),
        (ModelSplit.TENSOR, words.t("Tensors (TP)")),
        (ModelSplit.TENSOR_SEQUENCE, words.t("Tensors and sequence (TP + SP)")),
        (ModelSplit.PIPELINE, words.t("Layers in a pipeline (PP)")),
        (ModelSplit.COMBINED, words.t("Several degrees at once")),
    )


def state_choices(words: Wording) -> tuple[Choice, ...]:
    """Return how data ranks hold the state of training."""
    return (
        ("replicas", words.t("Replicas (DDP)")),
        ("optimizer_shards", words.t("Optimiser state (ZeRO-1)")),
        ("gradient_shards", words.t("Gradients too (ZeRO-2)")),
        ("full_shard", words.t("Everything in shards (FSDP)")),
        ("full_shard_kept", words.t("FSDP, layers kept gathered")),
    )


def context_choices(words: Wording) -> tuple[Choice, ...]:
    """Return how attention meets the parts of a sequence on other cards."""
    return (
        ("ring", words.t("Ring of keys and values")),
        ("gathered", words.t("Keys and values gathered")),
        ("all_to_all", words.t("All to all (Ulysses)")),
    )


def expert_choices(words: Wording) -> tuple[Choice, ...]:
    """Return which ranks share the experts."""
    return (
        ("data", words.t("Data and context ranks")),
        ("tensor", words.t("Tensor ranks, whole experts")),
    )


def combined_text(words: Wording, use: ModelUse, degrees: SplitDegrees, cards: int) -> str:
    """Return how the degrees make up the cards of a task, or that they do not, and which one the search grows."""
    data = degrees.data(cards)
    if data is None:
        return words.sentence("degrees_do_not_divide", {"cards": cards})
    product = words.t(
        "{cards} cards a task: tensor {tensor} × pipeline {pipeline} × context {context} × data {data}.",
        cards=words.number(cards),
        tensor=words.number(degrees.tensor),
        pipeline=words.number(degrees.pipeline),
        context=words.number(degrees.context),
        data=words.number(data),
    )
    found = model_ledger(use, degrees, cards)
    if isinstance(found, Absent):
        return f"{product} {words.absent(found)}"
    grows = (
        words.t("The least number of cards is sought with more data ranks.")
        if grows_by_data(use, degrees)
        else words.t("The least number of cards is sought with more tensor ranks.")
    )
    return f"{product} {grows}"


def degrees_text(words: Wording, split: ModelSplit, legal: tuple[int, ...], most: int) -> str:
    """Return over how many cards a split is legal; `legal` are those up to `most`."""
    if split is ModelSplit.NONE:
        return words.t("Each card of the task holds the whole model.")
    if not legal:
        return words.t("This model cannot be split that way.")
    if legal == tuple(range(1, most + 1)):
        return words.t("Any number of cards is legal.")
    if legal == tuple(range(1, legal[-1] + 1)):
        return words.t("Legal up to {count} cards, one layer each.", count=words.number(legal[-1]))
    counts = ", ".join(words.number(one) for one in legal)
    return words.t("Legal over {counts} cards: heads must divide.", counts=counts)


def precision_choices(words: Wording) -> tuple[Choice, ...]:
    """Return (parameters, autocast) pairs."""
    return (
        (("bf16", False), "bf16"),
        (("fp32", True), words.t("fp32, bf16 autocast")),
        (("fp32", False), "fp32"),
    )


def optimizer_choices(words: Wording) -> tuple[Choice, ...]:
    """Return the optimisers, by the state that they keep."""
    return (
        ("adamw", "AdamW"),
        ("adamw_8bit", words.t("AdamW, 8-bit")),
        ("momentum", words.t("SGD, momentum")),
        ("sgd", "SGD"),
    )


def implementation_choices() -> tuple[Choice, ...]:
    """Return how the optimiser's step is implemented: the libraries' own words."""
    return ((True, "foreach"), (False, "fused"))


def attention_choices(words: Wording) -> tuple[Choice, ...]:
    """Return the implementations of attention."""
    return (("sdpa", words.t("Flash (SDPA)")), ("eager", words.t("Plain (eager)")))


def loss_choices(words: Wording) -> tuple[Choice, ...]:
    """Return how scores and loss are computed."""
    return (
        ("upcast", words.t("Standard, scores in fp32")),
        ("half", words.t("Scores in 16 bits")),
        ("chunked", words.t("Loss by chunks")),
        ("recomputed", words.t("Head and loss by chunks")),
        ("fused", words.t("Fused with the head")),
        ("compiled", words.t("Compiled (torch.compile)")),
    )


def master_choices(words: Wording) -> tuple[Choice, ...]:
    """Return the styles of fp32 master weights."""
    return (
        ("none", words.t("None")),
        ("copied", words.t("All gradients copied")),
        ("copied_freeing", words.t("Copied one by one")),
        ("main_gradients", words.t("Gradients kept in fp32")),
    )


def average_choices(words: Wording) -> tuple[Choice, ...]:
    """Return the running averages of the weights."""
    return (
        ("none", words.t("Not kept")),
        ("in_place", words.t("In place")),
        ("subtracting", words.t("With a copy more")),
        ("fp32", words.t("In fp32")),
    )


def target_choices(words: Wording) -> tuple[Choice, ...]:
    """Return the usual sets of linear maps that adapters stand on."""
    attention = ("q_proj", "k_proj", "v_proj", "o_proj")
    return (
        (("q_proj", "v_proj"), words.t("Query and value")),
        (attention, words.t("All of attention")),
        ((*attention, "gate_proj", "up_proj", "down_proj"), words.t("Every linear map")),
    )


def storage_choices(words: Wording) -> tuple[Choice, ...]:
    """Return how weights are stored: the formats' own names."""
    return (
        (WeightStorage.AS_COMPUTED, words.t("As computed")),
        (WeightStorage.GPTQ_8, "GPTQ, 8 bits"),
        (WeightStorage.GPTQ_4, "GPTQ, 4 bits"),
        (WeightStorage.AWQ_4, "AWQ, 4 bits"),
        (WeightStorage.FP8, "FP8"),
        (WeightStorage.MXFP4, "MXFP4"),
        (WeightStorage.NF4, "NF4 (QLoRA)"),
        (WeightStorage.GGUF_Q8, "GGUF Q8_0"),
        (WeightStorage.GGUF_Q4, "GGUF Q4_0"),
    )


def placement_choices(words: Wording) -> tuple[Choice, ...]:
    """Return where the parts of an image pipeline stay while another one runs."""
    return (
        ("all_on_card", words.t("All stay")),
        ("one_at_a_time", words.t("One at a time (offload)")),
        ("texts_elsewhere", words.t("Texts encoded elsewhere")),
    )


def decoding_choices(words: Wording) -> tuple[Choice, ...]:
    """Return how latents become pixels."""
    return (
        ("whole", words.t("The whole batch")),
        ("slices", words.t("One image at a time")),
        ("tiles", words.t("One image in tiles")),
    )


def denoiser_precision_choices(words: Wording) -> tuple[Choice, ...]:
    """Return the precisions that a denoiser is trained in."""
    return (("bf16", "bf16"), ("mixed", words.t("Mixed: what learns in fp32")))


def others_choices(words: Wording) -> tuple[Choice, ...]:
    """Return where texts and images are encoded for a denoiser that is trained."""
    return (
        ("encoded_before", words.t("Encoded before training")),
        ("on_card", words.t("Encoded on the card")),
    )


def model_facts(words: Wording, source: ModelSource) -> str:
    """Return parameters and longest context of a model, or nothing where it cannot be read."""
    pipeline = pipeline_of(source)
    if pipeline is not None:
        return "" if pipeline.pipeline is None else _pipeline_facts(words, pipeline.pipeline)
    architecture = architecture_of(source).architecture
    if architecture is None:
        return ""
    found = parameters(architecture)
    total = found.language_model if isinstance(found.total, Absent) else found.total
    count = words.number(total / 1_000_000, 0)
    if isinstance(architecture.context_length, Absent):
        return words.t("{count} million parameters", count=count)
    length = words.number(architecture.context_length)
    if model_kind(source) is ModelKind.SPEECH:
        return words.t("{count} million parameters, text of {length} tokens", count=count, length=length)
    return words.t("{count} million parameters, context {length}", count=count, length=length)


def _pipeline_facts(words: Wording, pipeline: ImagePipeline) -> str:
    """Return the parameters of a pipeline and of each part that is described."""

    def millions(count: int) -> str:
        return words.number(count / 1_000_000, 0)

    parts: list[str] = []
    if pipeline.denoiser is not None:
        parts.append(words.t("denoiser {count}", count=millions(pipeline.denoiser.parameters)))
    if pipeline.text_encoders:
        texts = sum(text.parameters for text in pipeline.text_encoders)
        parts.append(words.t("text encoders {count}", count=millions(texts)))
    if pipeline.decoder is not None:
        parts.append(words.t("image decoder {count}", count=millions(pipeline.decoder.parameters)))
    whole = words.t("{count} million parameters", count=millions(pipeline.parameters))
    return f"{whole}: {', '.join(parts)}"
