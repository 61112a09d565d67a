"""The catalogue's models as architectures: a record is written as the config.json it was taken from, and read.

So a model gives the same figures whether it is chosen from the catalogue or dropped as a file. A record that
holds a config.json's own fields (a planner's) is read as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from estimator.architecture.read import ConfigReading, read_config

_FIELDS = {
    "n_layers": "num_hidden_layers",
    "hidden": "hidden_size",
    "n_heads": "num_attention_heads",
    "n_kv_heads": "num_key_value_heads",
    "head_dim": "head_dim",
    "intermediate": "intermediate_size",
    "vocab": "vocab_size",
    "tie": "tie_word_embeddings",
    "sliding_window": "sliding_window",
    "chunked_attention": "attention_chunk_size",
    "q_lora_rank": "q_lora_rank",
    "kv_lora_rank": "kv_lora_rank",
    "qk_nope_head_dim": "qk_nope_head_dim",
    "qk_rope_head_dim": "qk_rope_head_dim",
    "v_head_dim": "v_head_dim",
    "n_experts": "num_experts",
    "experts_per_token": "num_experts_per_tok",
    "shared_experts": "n_shared_experts",
    "moe_intermediate": "moe_intermediate_size",
    "first_dense_layers": "first_k_dense_replace",
    "mtp_layers": "num_nextn_predict_layers",
    "learned_positions": "max_position_embeddings",
    "positions": "max_position_embeddings",
    "token_types": "type_vocab_size",
    "encoder_layers": "encoder_layers",
    "decoder_layers": "decoder_layers",
    "mel_bins": "num_mel_bins",
    "encoder_positions": "max_source_positions",
    "decoder_positions": "max_target_positions",
    "patch": "patch_size",
    "classes": "num_labels",
}


class CataloguedModel(Protocol):
    """What is read of a catalogue's record (estimator.catalogue.ModelRecord)."""

    @property
    def id(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def family(self) -> str: ...
    @property
    def context_length(self) -> int | None: ...
    @property
    def config(self) -> Mapping[str, object]: ...


def from_catalogue(record: CataloguedModel) -> ConfigReading:
    """Return the architecture of a record, or what its config lacks. Vision towers are not in the records."""
    if "model_type" in record.config:
        return read_config(record.config, record.name)
    return read_config(config_of(record), record.name)


def config_of(record: CataloguedModel) -> dict[str, object]:
    """Return the record as a config.json of its format."""
    found = record.config
    model_type = model_type_of(record.family, found)
    config: dict[str, object] = {"model_type": model_type}
    config |= {_FIELDS[key]: value for key, value in found.items() if key in _FIELDS}
    if record.context_length is not None:
        config.setdefault("max_position_embeddings", record.context_length)
    config |= _particular(model_type, found)
    return config


def model_type_of(family: str, config: Mapping[str, object]) -> str:
    """Return the format of a catalogued model; "" where its family is not one of the catalogue's."""
    sparse = "n_experts" in config
    if family == "Llama":
        return "llama4_text" if sparse else "llama"
    if family == "Mistral":
        return "mixtral" if sparse else "mistral"
    if family == "Qwen":
        return "qwen2" if config.get("qkv_bias") else "qwen3_moe" if sparse else "qwen3"
    if family == "Gemma":
        return "gemma3_text" if config.get("qk_norm") else "gemma2"
    if family == "DeepSeek":
        return "deepseek_v3" if config.get("router_bias") else "deepseek_v2"
    if family == "EleutherAI":
        return "gptj" if config.get("lm_head_bias") else "gpt_neox"
    others = {
        "Phi": "phi3",
        "gpt-oss": "gpt_oss",
        "Falcon": "falcon",
        "GPT-2": "gpt2",
        "BERT": "bert",
        "ViT": "vit",
        "Whisper": "whisper",
    }
    return others.get(family, "")


def _particular(model_type: str, found: Mapping[str, object]) -> dict[str, object]:
    """Return what the format says in fields that a record puts otherwise."""
    if model_type == "llama4_text":
        step = 2 if "dense_layers" in found else 1
        return {"interleave_moe_layer_step": step, "intermediate_size_mlp": found.get("dense_intermediate")}
    if model_type in ("deepseek_v2", "deepseek_v3"):
        return {
            "intermediate_size": found.get("dense_intermediate"),
            "q_lora_rank": found.get("q_lora_rank") or None,
        }
    if model_type == "falcon":
        return {"new_decoder_architecture": found.get("n_kv_heads") != 1}
    if model_type == "mistral":
        return {"sliding_window": found.get("sliding_window")}
    if model_type == "phi3":
        return {"sliding_window": None}
    if model_type == "vit":
        return {"image_size": _image_size(found), "architectures": ["ViTForImageClassification"]}
    if model_type == "whisper":
        width, heads = found.get("intermediate"), found.get("n_heads")
        return {
            "encoder_ffn_dim": width,
            "decoder_ffn_dim": width,
            "encoder_attention_heads": heads,
            "decoder_attention_heads": heads,
        }
    return {}


def _image_size(found: Mapping[str, object]) -> int | None:
    """Return the side of the image whose patches a record counts: side = patch × √patches."""
    patch, patches = found.get("patch"), found.get("patches")
    if not isinstance(patch, int) or not isinstance(patches, int):
        return None
    side = next((side for side in range(1, 1025) if side * side == patches), None)
    return None if side is None else side * patch
