"""The configurations of the catalogued image pipelines' parts, as diffusers and transformers write them.

Data of the converter alone. Each part's count is checked against the one that the raw data state.
"""

from __future__ import annotations

from typing import Any

Part = dict[str, Any]

CLIP_L: Part = {
    "model_type": "clip_text_model",
    "architectures": ["CLIPTextModel"],
    "hidden_size": 768,
    "intermediate_size": 3072,
    "num_hidden_layers": 12,
    "num_attention_heads": 12,
    "max_position_embeddings": 77,
    "vocab_size": 49408,
    "projection_dim": 768,
}
CLIP_L_PROJECTED = CLIP_L | {"architectures": ["CLIPTextModelWithProjection"]}
CLIP_BIG_G = CLIP_L_PROJECTED | {
    "hidden_size": 1280,
    "intermediate_size": 5120,
    "num_hidden_layers": 32,
    "num_attention_heads": 20,
    "projection_dim": 1280,
}
T5_XXL: Part = {
    "model_type": "t5",
    "architectures": ["T5EncoderModel"],
    "d_model": 4096,
    "d_ff": 10240,
    "d_kv": 64,
    "num_heads": 64,
    "num_layers": 24,
    "vocab_size": 32128,
    "feed_forward_proj": "gated-gelu",
    "relative_attention_num_buckets": 32,
}


def _decoder(latents: int, sample: int, *, coded: bool) -> Part:
    return {
        "_class_name": "AutoencoderKL",
        "block_out_channels": [128, 256, 512, 512],
        "layers_per_block": 2,
        "latent_channels": latents,
        "sample_size": sample,
        "use_quant_conv": coded,
        "use_post_quant_conv": coded,
    }


def _stable_diffusion_3(blocks: int, heads: int, norm: str | None) -> Part:
    return {
        "_class_name": "SD3Transformer2DModel",
        "sample_size": 128,
        "patch_size": 2,
        "in_channels": 16,
        "out_channels": 16,
        "num_layers": blocks,
        "attention_head_dim": 64,
        "num_attention_heads": heads,
        "joint_attention_dim": 4096,
        "caption_projection_dim": 64 * heads,
        "pooled_projection_dim": 2048,
        "pos_embed_max_size": 192,
        "qk_norm": norm,
    }


PIPELINES: dict[str, Part] = {
    "sd15": {
        "unet": {
            "_class_name": "UNet2DConditionModel",
            "sample_size": 64,
            "in_channels": 4,
            "out_channels": 4,
            "block_out_channels": [320, 640, 1280, 1280],
            "layers_per_block": 2,
            "cross_attention_dim": 768,
            "attention_head_dim": 8,
            "down_block_types": [*["CrossAttnDownBlock2D"] * 3, "DownBlock2D"],
            "up_block_types": ["UpBlock2D", *["CrossAttnUpBlock2D"] * 3],
        },
        "text_encoder": CLIP_L,
        "vae": _decoder(4, 512, coded=True),
    },
    "sdxl-base": {
        "unet": {
            "_class_name": "UNet2DConditionModel",
            "sample_size": 128,
            "in_channels": 4,
            "out_channels": 4,
            "block_out_channels": [320, 640, 1280],
            "layers_per_block": 2,
            "cross_attention_dim": 2048,
            "attention_head_dim": [5, 10, 20],
            "transformer_layers_per_block": [1, 2, 10],
            "down_block_types": ["DownBlock2D", "CrossAttnDownBlock2D", "CrossAttnDownBlock2D"],
            "up_block_types": ["CrossAttnUpBlock2D", "CrossAttnUpBlock2D", "UpBlock2D"],
            "use_linear_projection": True,
            "addition_embed_type": "text_time",
            "addition_time_embed_dim": 256,
            "projection_class_embeddings_input_dim": 2816,
        },
        "text_encoder": CLIP_L,
        "text_encoder_2": CLIP_BIG_G,
        "vae": _decoder(4, 1024, coded=True),
    },
    "sd3-medium": {
        "transformer": _stable_diffusion_3(24, 24, None),
        "text_encoder": CLIP_L_PROJECTED,
        "text_encoder_2": CLIP_BIG_G,
        "text_encoder_3": T5_XXL,
        "vae": _decoder(16, 1024, coded=False),
    },
    "sd3.5-large": {
        "transformer": _stable_diffusion_3(38, 38, "rms_norm"),
        "text_encoder": CLIP_L_PROJECTED,
        "text_encoder_2": CLIP_BIG_G,
        "text_encoder_3": T5_XXL,
        "vae": _decoder(16, 1024, coded=False),
    },
    "flux1-dev": {
        "transformer": {
            "_class_name": "FluxTransformer2DModel",
            "patch_size": 1,
            "in_channels": 64,
            "num_layers": 19,
            "num_single_layers": 38,
            "attention_head_dim": 128,
            "num_attention_heads": 24,
            "joint_attention_dim": 4096,
            "pooled_projection_dim": 768,
            "guidance_embeds": True,
        },
        "text_encoder": CLIP_L,
        "text_encoder_2": T5_XXL,
        "vae": _decoder(16, 1024, coded=False),
    },
}
"""By the id of the raw data; parts named as diffusers names their folders."""
