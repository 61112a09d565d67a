"""From a config.json to an architecture: finds the language model, its format, and the towers beside it.

A vision part is never taken for the language model, and no size is ever filled in from another model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from estimator.architecture.context import context_length, quantisation, stored_type
from estimator.architecture.decoder import read_decoder
from estimator.architecture.encoder import (
    read_bert,
    read_llama4_tower,
    read_siglip_tower,
    read_vit,
    read_whisper,
)
from estimator.architecture.families import family_of
from estimator.architecture.fields import Fields, config_object
from estimator.architecture.model import Architecture, FieldReading, Stack
from estimator.problems import Absent, Problem, Severity

_TEXT_PARTS = ("text_config", "language_config", "llm_config")
_TOWERS = ("vision_config", "audio_config")
_NEEDED = (
    "hidden_size",
    "num_hidden_layers",
    "num_attention_heads",
    "num_key_value_heads",
    "intermediate_size",
    "vocab_size",
)


@dataclass(frozen=True, slots=True)
class ConfigReading:
    """What a config says: its architecture, or None where a problem forbids one, and the problems either way."""

    architecture: Architecture | None
    problems: tuple[Problem, ...] = ()


def read_config_text(content: bytes | str, name: str = "") -> ConfigReading:
    """Return the reading of a config.json's content. Raises FileRefused: too large, not JSON, no object."""
    return read_config(config_object(content), name)


def read_config(config: Mapping[str, object], name: str = "", read_as: str = "") -> ConfigReading:
    """Return the reading of a config: an architecture with exact shapes, or every missing or wrong field by name.

    `read_as` names a known format for a config whose own `model_type` is not known.
    """
    fields = Fields(config)
    model_type = read_as or fields.text("model_type")
    architecture: Architecture | None
    if model_type in ("bert", "vit", "whisper"):
        architecture = _encoder_model(fields, model_type, name)
    else:
        architecture = _language_model(fields, model_type, name, read_as)
    sound = fields.is_sound and architecture is not None
    return ConfigReading(architecture if sound else None, tuple(dict.fromkeys(fields.problems)))


def _language_model(fields: Fields, model_type: str, name: str, read_as: str) -> Architecture | None:
    part_name = next((part for part in _TEXT_PARTS if isinstance(fields.raw(part), Mapping)), "")
    part = (fields.inner(part_name) if part_name else None) or fields
    part_type = read_as or part.text("model_type") or model_type
    family = family_of(part_type)
    if family is None:
        _note_unknown(part, part_type)
        return None
    outer_tie = None
    if part is not fields and fields.stated("tie_word_embeddings"):
        outer_tie = fields.flag("tie_word_embeddings", False)
    stack, vocab, tied = read_decoder(part, family, nested=part is not fields, tied=outer_tie)
    towers, uncounted = _towers(fields, model_type, stack.hidden)
    return Architecture(
        name=name,
        model_type=part_type,
        main=stack,
        vocab=vocab,
        tied=tied,
        beside=towers,
        uncounted=uncounted,
        context_length=context_length(part),
        stored_type=stored_type(part) or stored_type(fields),
        quantisation=quantisation(fields) or (quantisation(part) if part is not fields else None),
        next_token_layers=part.optional("num_nextn_predict_layers", 64, least=0) or 0,
        readings=_once(fields.readings),
    )


def _towers(fields: Fields, model_type: str, hidden: int) -> tuple[tuple[Stack, ...], tuple[str, ...]]:
    """Return the towers whose shape is known, and the names of the parts whose parameters are not counted."""
    towers: list[Stack] = []
    uncounted: list[str] = []
    for part_name in _TOWERS:
        part = fields.inner(part_name)
        if part is None:
            continue
        if part_name == "vision_config" and model_type == "gemma3":
            towers.append(read_siglip_tower(part, hidden))
        elif part_name == "vision_config" and model_type == "llama4":
            towers.append(read_llama4_tower(part, hidden))
        else:
            fields.note("tower_not_counted", part_name, Severity.WARNING)
            uncounted.append(part_name)
    return tuple(towers), tuple(uncounted)


def _encoder_model(fields: Fields, model_type: str, name: str) -> Architecture:
    model_class = _model_class(fields)
    beside: tuple[Stack, ...] = ()
    if model_type == "whisper":
        main, sound = read_whisper(fields)
        beside = (sound,)
        vocab, tied, length = fields.size("vocab_size"), True, fields.size_or("max_target_positions", 448, "")
    elif model_type == "bert":
        main = read_bert(fields, model_class)
        vocab, length = fields.size("vocab_size"), fields.size_or("max_position_embeddings", 512, "")
        tied = model_class in ("BertForMaskedLM", "BertForPreTraining")
    else:
        main, vocab, tied, length = read_vit(fields, model_class), 0, False, 0
    return Architecture(
        name=name,
        model_type=model_type,
        main=main,
        vocab=vocab,
        tied=tied,
        beside=beside,
        context_length=length or Absent("reads_no_tokens"),
        stored_type=stored_type(fields),
        quantisation=quantisation(fields),
        readings=_once(fields.readings),
    )


def _model_class(fields: Fields) -> str:
    classes = fields.items("architectures", 64)
    return str(classes[0])[:200] if classes else ""


def _note_unknown(part: Fields, model_type: str) -> None:
    """Note that the format is not known, and which fields of a language model the file lacks."""
    if model_type:
        part.note("model_type_unknown", "model_type", model_type=model_type)
    else:
        part.note("config_field_missing", "model_type", Severity.MISSING)
    for needed in _NEEDED:
        if not part.listed(needed):
            part.note("config_field_missing", needed, Severity.MISSING)


def _once(readings: list[FieldReading]) -> tuple[FieldReading, ...]:
    """Return the readings with each field once, as it was first read."""
    first: dict[str, FieldReading] = {}
    for reading in readings:
        first.setdefault(reading.field, reading)
    return tuple(first.values())
