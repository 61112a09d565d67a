"""Peak of generation: reading the prompt, then one token at a time, with the library's growing cache.

Source: transformers 5.24 on torch 2.13 (`DynamicCache`); forms for experts, windows, latent attention and chunked
prompts fitted to the reference points. A serving engine's pool of blocks is in `serving.py`.
"""

from __future__ import annotations

from estimator.memory.ledger import Held, MemoryLedger, Moment, MomentKind, StateClass, moment
from estimator.memory.recipe import Attention, Generation
from estimator.memory.saved import Kernel, kernel, mask_bytes, positions_bytes
from estimator.memory.shape import Family, ModelShape

KV, TEMPORARIES = StateClass.KV_CACHE, StateClass.TEMPORARIES


def generation_ledger(shape: ModelShape, recipe: Generation) -> MemoryLedger:
    """Return what one card holds while it reads the prompt and while it makes tokens, in bytes."""
    moments = [prefill(shape, recipe)]
    if recipe.all_scores:
        moments.append(prompt_scores(shape, recipe))
    if recipe.new_tokens:
        moments.append(decode(shape, recipe))
    return MemoryLedger(tuple(moments))


def resident(shape: ModelShape, recipe: Generation) -> Held:
    """The weights as stored, token and position ids, the rotary tables, a mask where the kernel reads one."""
    stored, tokens = recipe.weights_bytes, recipe.batch * recipe.prompt
    chosen = kernel(recipe.attention, recipe.element, shape)
    weights = shape.parameters * recipe.element if stored is None else stored
    inputs = 8 * tokens + positions_bytes(shape, recipe.prompt, recipe.element)
    if shape.sliding is None and recipe.prefill_chunk is None:
        inputs += mask_bytes(shape, chosen, recipe.batch, recipe.prompt, recipe.element)
    return {StateClass.WEIGHTS: weights, StateClass.INPUTS: inputs}


def kv_values_per_token(shape: ModelShape, expanded: bool = False) -> int:
    """Cached values per token and layer: keys and values, or the latent and its rotary part, kept once."""
    if shape.latent is None:
        return 2 * shape.kv_width
    latent = shape.latent
    if expanded:
        return shape.heads * (latent.nope + latent.rope + latent.value)
    return latent.kv_rank + latent.rope


def kv_cache_bytes(shape: ModelShape, recipe: Generation, tokens: int, trims: bool) -> int:
    """Bytes of the cache of every sequence at `tokens` tokens; `trims`: sliding layers keep their window alone."""
    sliding = shape.sliding
    per_layer = kv_values_per_token(shape, recipe.latent_cache_expanded)
    kept = shape.layers * tokens
    if sliding is not None and trims:
        kept -= sliding.count * max(tokens - sliding.window, 0)
    return -(-recipe.batch * kept * per_layer * recipe.kv_bits // 8)


def prefill(shape: ModelShape, recipe: Generation) -> Moment:
    """The whole prompt at once, or by chunks: cache and the widest layer's temporaries."""
    cache = kv_cache_bytes(shape, recipe, recipe.prompt, recipe.keeps_only_window)
    if recipe.prefill_chunk is not None and recipe.prefill_chunk < recipe.prompt:
        working = chunked_prefill_temporaries(shape, recipe, recipe.prefill_chunk)
    else:
        tokens = recipe.batch * recipe.prompt
        working = tokens * max(mlp_temporaries(shape, recipe), attention_temporaries(shape, recipe))
        if shape.sliding is not None:
            working = sliding_prefill_temporaries(shape, recipe, working)
    return moment(MomentKind.PREFILL, resident(shape, recipe), {KV: cache, TEMPORARIES: working})


def prompt_scores(shape: ModelShape, recipe: Generation) -> Moment:
    """Scores of every prompt token, beside the hidden states they are made from."""
    cache = kv_cache_bytes(shape, recipe, recipe.prompt, recipe.keeps_only_window)
    scores = recipe.element * (shape.vocab + shape.hidden) * recipe.batch * recipe.prompt
    return moment(MomentKind.PROMPT_SCORES, resident(shape, recipe), {KV: cache, TEMPORARIES: scores})


def decode(shape: ModelShape, recipe: Generation) -> Moment:
    """The full cache, and the old keys and values of the layer whose cache is being extended."""
    cache = kv_cache_bytes(shape, recipe, recipe.prompt + recipe.new_tokens, trims=True)
    growing = 2 * cache // shape.layers
    return moment(MomentKind.DECODE, resident(shape, recipe), {KV: cache, TEMPORARIES: growing})


def mlp_temporaries(shape: ModelShape, recipe: Generation) -> int:
    """Bytes per token of the widest moment of an MLP without a backward."""
    hidden, mlp, element = shape.hidden, shape.mlp, recipe.element
    experts = shape.experts
    if experts is not None:
        if shape.family is Family.MIXTRAL:
            return (4 * mlp * experts.per_token + 6 * hidden) * element
        routing = (
            12 if shape.family is Family.DEEPSEEK else 8
        )  # fp32 expert outputs; fp32 routing weights too
        outputs = routing * experts.per_token * hidden + 4 * element * hidden
        inside = element * (4 * experts.per_token * experts.width + experts.per_token * hidden + 4 * hidden)
        return max(outputs, inside)
    if shape.family is Family.GPT2:
        return (11 * hidden + 8 * mlp) * element // 2
    if not shape.has_rms_norm:
        return (4 * hidden + 2 * mlp) * element
    return (4 * hidden + 3 * mlp) * element


def attention_temporaries(shape: ModelShape, recipe: Generation) -> int:
    """Bytes per token of attention that materialises its scores; a fused kernel never exceeds the MLP."""
    chosen = kernel(recipe.attention, recipe.element, shape)
    if chosen.is_fused:
        return 0
    hidden, element = shape.hidden * recipe.element, recipe.element
    row = shape.heads * recipe.prompt
    if shape.family is Family.GPT_OSS:
        return 0  # see sliding_prefill_temporaries: its scores come with masks
    if chosen is Kernel.MATH:
        return 7 * hidden + 8 * row
    if shape.family is Family.GPT2 and element == 2:
        return 8 * hidden + 4 * row
    return 4 * hidden + (10 if element == 2 else 8) * row


def sliding_prefill_temporaries(shape: ModelShape, recipe: Generation, widest: int) -> int:
    """Temporaries and masks of a prompt where some layers slide: a boolean mask, and its 16-bit form."""
    rows = recipe.prompt**2
    tokens, batch = recipe.batch * recipe.prompt, recipe.batch
    if recipe.attention is Attention.EAGER:  # scores with sinks
        width = 3 * recipe.element * (shape.query_width + shape.hidden)
        return max(6 * shape.heads * batch * rows + width * tokens + 4 * rows, widest)
    queries = shape.query_width * (3 if 1 < shape.kv_heads < shape.heads else 1)
    converting = (1 + 3 * batch) * rows + recipe.element * tokens * (3 * shape.hidden + queries)
    return max(widest + rows, converting)


def chunked_prefill_temporaries(shape: ModelShape, recipe: Generation, chunk: int) -> int:
    """A prompt read by chunks: widest of the MLP, the masked attention over all keys, and the growing cache."""
    batch, prompt, element, hidden = recipe.batch, recipe.prompt, recipe.element, shape.hidden
    new, mask = batch * chunk, chunk * prompt
    through_mlp = new * mlp_temporaries(shape, recipe) + mask
    masked = mask + 3 * batch * mask
    latent = shape.latent
    if latent is not None:
        key = latent.nope + latent.rope
        expanded = prompt * batch * shape.heads * (2 * latent.nope + latent.rope + latent.value) * element
        queries = new * (2 * shape.heads * key * 10 + 38 * hidden) * element // 10
        return max(through_mlp, expanded + masked + queries)
    repeated = 2 * prompt * shape.query_width * batch * element  # every query head gets its keys and values
    attention = repeated + 4 * hidden * element * new + masked
    growing = (prompt - chunk) * shape.kv_width * batch * element + 7 * hidden * element * new + mask
    return max(through_mlp, attention, growing)
