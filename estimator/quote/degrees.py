"""The degrees of a combined division of a model: tensor x pipeline x context x data, in the field's terms.

The data degree is what the cards of a task leave: cards / (tensor x pipeline x context). Which degrees a model
allows, and what they cost, is `estimator.memory`'s.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Literal

from pydantic import Field, PositiveInt

from estimator.frozen import Frozen


class SplitDegrees(Frozen):
    """How many cards share each thing.

    `sequence`: norms are divided by the tensor ranks too. `virtual_stages`: pieces of the model on each stage
    (interleaved 1F1B). `context_method`: how attention meets the keys and values on other cards. `expert`: ranks,
    among those of data and context, over which whole experts are dealt out; `experts_over` tensor: dealt out over
    the tensor ranks. `expert_capacity`: slots of an expert against an even share of the tokens. `data_state`: how
    the data ranks hold the state of training.
    """

    tensor: PositiveInt = 1
    sequence: bool = False
    pipeline: PositiveInt = 1
    virtual_stages: PositiveInt = 1
    context: PositiveInt = 1
    context_method: Literal["ring", "gathered", "all_to_all"] = "ring"
    expert: PositiveInt = 1
    experts_over: Literal["data", "tensor"] = "data"
    expert_capacity: Annotated[Decimal, Field(ge=1, le=64)] = Decimal(1)
    data_state: Literal[
        "replicas", "optimizer_shards", "gradient_shards", "full_shard", "full_shard_kept"
    ] = "full_shard"

    @property
    def without_data(self) -> int:
        """Cards of one copy that sees one part of the data: tensor x pipeline x context."""
        return self.tensor * self.pipeline * self.context

    def data(self, cards: int) -> int | None:
        """Return the data degree over `cards` cards; None where the other degrees do not divide them."""
        return cards // self.without_data if cards % self.without_data == 0 else None
