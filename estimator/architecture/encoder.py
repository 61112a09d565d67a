"""Reads what is no decoder of text: BERT, image transformers (alone or as a tower) and Whisper.

The sizes of auxiliary tables (positions, token types, colour channels, frames) have a meaning where they are
absent, since the format fixes them; widths, layers and heads are asked for.
"""

from __future__ import annotations

from estimator.architecture.fields import MAX_LAYERS, Fields
from estimator.architecture.model import Attention, Dense, Layer, Norms, Role, Stack, Weight
from estimator.architecture.weights import norm_weights

_LAYER_NORM = Norms(1, bias=True)


def read_bert(fields: Fields, model_class: str) -> Stack:
    """Return BERT's stack (Devlin et al. 2018) with the head of `model_class`; without one, the pooler."""
    hidden, vocab = fields.size("hidden_size"), fields.size("vocab_size")
    layers = _plain_layers(fields, hidden, "intermediate_size")
    outer = [
        Weight("embedding", (vocab, hidden), Role.EMBEDDING),
        Weight(
            "positions",
            (fields.size_or("max_position_embeddings", 512, "format_default"), hidden),
            Role.TABLE,
        ),
        Weight(
            "token_types",
            (fields.size_or("type_vocab_size", 2, "format_default", least=0), hidden),
            Role.TABLE,
        ),
        *norm_weights("embedding_norm", _LAYER_NORM, hidden),
    ]
    if model_class in ("BertForMaskedLM", "BertForPreTraining"):
        outer += _biased("transform", hidden, hidden)
        outer += norm_weights("transform_norm", _LAYER_NORM, hidden)
        outer.append(Weight("head_bias", (vocab,), Role.BIAS))
    if model_class not in ("BertForMaskedLM", "BertForTokenClassification", "BertForQuestionAnswering"):
        outer += _biased("pooler", hidden, hidden)
    if model_class == "BertForPreTraining":
        outer += _biased("next_sentence", hidden, 2)
    if model_class == "BertForQuestionAnswering":
        outer += _biased("answer_span", hidden, 2)
    outer += _classes(fields, model_class, hidden)
    return Stack("encoder", hidden, layers, tuple(outer))


def read_vit(fields: Fields, model_class: str) -> Stack:
    """Return ViT's stack (arXiv 2010.11929) with the head of `model_class`; without one, the pooler."""
    hidden = fields.size("hidden_size")
    layers = _plain_layers(fields, hidden, "intermediate_size", fields.flag("qkv_bias", True))
    outer = [
        *_patches(fields, hidden, bias=True),
        Weight("class_token", (hidden,), Role.OTHER),
        Weight("positions", (_patch_count(fields) + 1, hidden), Role.TABLE),
        *norm_weights("final_norm", _LAYER_NORM, hidden),
    ]
    if model_class in ("ViTForImageClassification", "ViTForMaskedImageModeling"):
        outer += _classes(fields, model_class, hidden)
    else:
        outer += _biased("pooler", hidden, hidden)
    return Stack("vision", hidden, layers, tuple(outer))


def read_whisper(fields: Fields) -> tuple[Stack, Stack]:
    """Return Whisper's decoder and encoder (arXiv 2212.04356); key projections have no bias, the head is tied."""
    hidden, vocab = fields.size("hidden_size"), fields.size("vocab_size")
    frames = fields.size_or("max_source_positions", 1500, "format_default")
    texts = fields.size_or("max_target_positions", 448, "format_default")
    mels = fields.size_or("num_mel_bins", 80, "format_default")
    decoder_mixing = _whisper_attention(fields, hidden, "decoder_attention_heads")
    decoder = Layer(
        decoder_mixing,
        Dense(fields.size("decoder_ffn_dim"), gated=False, bias=True),
        Norms(3, bias=True),
        cross=decoder_mixing,
    )
    encoder = Layer(
        _whisper_attention(fields, hidden, "encoder_attention_heads"),
        Dense(fields.size("encoder_ffn_dim"), gated=False, bias=True),
        Norms(2, bias=True),
    )
    final = norm_weights("final_norm", _LAYER_NORM, hidden)
    words = (
        Weight("embedding", (vocab, hidden), Role.EMBEDDING),
        Weight("positions", (texts, hidden), Role.TABLE),
        *final,
    )
    sound = (
        Weight("convolution_1", (mels * 3, hidden), Role.CONVOLUTION),
        Weight("convolution_1_bias", (hidden,), Role.BIAS),
        Weight("convolution_2", (hidden * 3, hidden), Role.CONVOLUTION),
        Weight("convolution_2_bias", (hidden,), Role.BIAS),
        Weight("positions", (frames, hidden), Role.TABLE),
        *final,
    )
    return (
        Stack("language", hidden, (decoder,) * fields.size("decoder_layers", MAX_LAYERS), words),
        Stack("encoder", hidden, (encoder,) * fields.size("encoder_layers", MAX_LAYERS), sound),
    )


def read_siglip_tower(fields: Fields, text_hidden: int) -> Stack:
    """Return the SigLIP tower of Gemma 3 (arXiv 2503.19786) with its projector and norm to `text_hidden`.

    A convolution over patches, positions, a final norm, no pooling head; the projector has no bias.
    """
    hidden = fields.size("hidden_size")
    layers = _plain_layers(fields, hidden, "intermediate_size")
    outer = (
        *_patches(fields, hidden, bias=True),
        Weight("positions", (_patch_count(fields), hidden), Role.TABLE),
        *norm_weights("final_norm", _LAYER_NORM, hidden),
        Weight("projector_norm", (hidden,), Role.NORM),
        Weight("projector", (hidden, text_hidden), Role.LINEAR),
    )
    return Stack("vision", hidden, layers, outer)


def read_llama4_tower(fields: Fields, text_hidden: int) -> Stack:
    """Return the image tower of Llama 4 with its adapter and projector to `text_hidden`, all without bias.

    transformers 5.24, Llama4VisionModel: patches unfolded and projected, a class token, norms before and after.
    """
    hidden, width = fields.size("hidden_size"), fields.size("intermediate_size")
    layers = _plain_layers(fields, hidden, "intermediate_size")
    inner, out = fields.size("projector_input_dim"), fields.size("projector_output_dim")
    outer = (
        *_patches(fields, hidden, bias=False),
        Weight("class_token", (hidden,), Role.OTHER),
        Weight("positions", (_patch_count(fields) + 1, hidden), Role.TABLE),
        *norm_weights("outer_norms", Norms(2, bias=True), hidden),
        Weight("adapter_1", (width, inner), Role.LINEAR),
        Weight("adapter_2", (out, out), Role.LINEAR),
        Weight("projector", (fields.size("vision_output_dim"), text_hidden), Role.LINEAR),
    )
    return Stack("vision", hidden, layers, outer)


def _plain_layers(fields: Fields, hidden: int, width: str, bias: bool = True) -> tuple[Layer, ...]:
    """Return the layers of an encoder: as many KV heads as heads, biases, two layer norms, a plain MLP."""
    heads = fields.size("num_attention_heads")
    attention = _attention(fields, hidden, heads, bias)
    layer = Layer(attention, Dense(fields.size(width), gated=False, bias=True), Norms(2, bias=True))
    return (layer,) * fields.size("num_hidden_layers", MAX_LAYERS)


def _attention(fields: Fields, hidden: int, heads: int, bias: bool) -> Attention:
    if hidden % heads:
        fields.contradict("heads_do_not_divide_hidden", "num_attention_heads", heads=heads, hidden=hidden)
    return Attention(heads, heads, hidden // heads, query_value_bias=bias, key_bias=bias, output_bias=True)


def _whisper_attention(fields: Fields, hidden: int, field: str) -> Attention:
    heads = fields.size(field)
    if hidden % heads:
        fields.contradict("heads_do_not_divide_hidden", field, heads=heads, hidden=hidden)
    return Attention(heads, heads, hidden // heads, query_value_bias=True, output_bias=True)


def _patches(fields: Fields, hidden: int, *, bias: bool) -> tuple[Weight, ...]:
    patch = fields.size("patch_size", 4096)
    channels = fields.size_or("num_channels", 3, "format_default", 4096)
    weight = Weight("patches", (channels * patch * patch, hidden), Role.CONVOLUTION)
    return (weight, Weight("patches_bias", (hidden,), Role.BIAS)) if bias else (weight,)


def _patch_count(fields: Fields) -> int:
    side: int = fields.size("image_size", 65_536) // fields.size("patch_size", 4096)
    return side * side


def _classes(fields: Fields, model_class: str, hidden: int) -> list[Weight]:
    if "Classification" not in model_class:
        return []
    named = fields.raw("id2label")
    if isinstance(named, dict) and named:
        labels = len(named)
    else:
        labels = fields.size_or("num_labels", 2, "format_default")
    return _biased("classifier", hidden, labels)


def _biased(name: str, inputs: int, outputs: int) -> list[Weight]:
    return [Weight(name, (inputs, outputs), Role.LINEAR), Weight(f"{name}_bias", (outputs,), Role.BIAS)]
