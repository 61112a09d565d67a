"""Large quotes for the tests of the window and the benchmarks, the same each time."""

from __future__ import annotations

import random
from decimal import Decimal

from estimator.catalogue import Lot, TermPrice
from estimator.quote import (
    AssignmentPolicy,
    Organisation,
    Quote,
    ResourceKind,
    ResourceNeed,
    SharedResource,
    Stage,
    StageKind,
    StageLayout,
    Tasks,
)
from tests.quotes import (
    RTX_4090,
    TODAY,
    conversion,
    given,
    organisation,
    source_quote,
    whole_memory,
)


def many_tasks(count: int, cards: int, policy: AssignmentPolicy = AssignmentPolicy.BLOCKS) -> Quote:
    """Tasks of their own length on one card and on `cards`, three ways to rent."""
    draw = random.Random(1)
    durations = tuple(Decimal(draw.randint(60, 3000)) / 100 for _ in range(count))
    stage = conversion()
    stage = stage.replaced(tasks=stage.tasks.replaced(count=(1,) * count, duration=durations))
    organisations = (organisation("A", 1, policy), organisation("B", cards, policy))
    return source_quote(stage, organisations=organisations, quota_cards=given(cards), limit=None)


def many_equal_tasks(count: int, cards: int) -> Quote:
    """Equal tasks in one group on one card and on `cards`."""
    stage = conversion()
    stage = stage.replaced(tasks=stage.tasks.replaced(count=(count,), duration=(Decimal(12),)))
    organisations = (organisation("A", 1), organisation("B", cards))
    return source_quote(stage, organisations=organisations, quota_cards=given(cards), limit=None)


def many_licensed_tasks(count: int, cards: int) -> Quote:
    """Equal tasks that share three licences: one row on every page, and many seconds to schedule one by one."""
    stage = conversion(needs=(ResourceNeed(resource_id="licence"),))
    stage = stage.replaced(tasks=stage.tasks.replaced(count=(count,), duration=(Decimal(12),)))
    licence = SharedResource(id="licence", name="Licence", kind=ResourceKind.LICENCE, capacity=given(3))
    policy = AssignmentPolicy.AVAILABILITY
    organisations = (organisation("A", 1, policy), organisation("B", cards, policy))
    return source_quote(
        stage, resources=(licence,), organisations=organisations, quota_cards=given(cards), limit=None
    )


def many_stages_and_lots(stages: int, lots: int) -> Quote:
    """A chain of stages of four tasks each, every third off the cards, and lots of 1 to 8 cards."""
    draw = random.Random(2)
    made = []
    for number in range(stages):
        on_cards = number % 3 != 2
        made.append(
            Stage(
                id=f"stage-{number}",
                name=f"Stage {number}",
                kind=StageKind.INDEPENDENT if on_cards else StageKind.STATION,
                after=() if number == 0 else (f"stage-{number - 1}",),
                tasks=Tasks(count=(4,), duration=(Decimal(draw.randint(5, 60)),)),
                **({"memory": whole_memory(draw.randint(4, 18))} if on_cards else {}),
            )
        )
    offers = tuple(
        Lot(
            id=f"lot-{number}",
            name=f"Lot {number}",
            card_id=RTX_4090.id,
            cards=1 + number % 8,
            sample=True,
            price_date=TODAY,
            terms=(
                TermPrice(days=3, price=Decimal(20 + number) * (1 + number % 8)),
                TermPrice(days=7, price=Decimal(40 + 2 * number) * (1 + number % 8)),
                TermPrice(days=30, price=Decimal(150 + 5 * number) * (1 + number % 8)),
            ),
        )
        for number in range(lots)
    )

    def laid_out(name: str, at_once: int) -> Organisation:
        layouts = tuple(
            StageLayout(stage_id=stage.id, tasks_at_once=at_once) for stage in made if stage.on_cards
        )
        return Organisation(id=name, layouts=layouts)

    quote = source_quote(limit=None, quota_cards=given(8))
    workload = quote.workload.replaced(stages=tuple(made), resources=())
    return quote.replaced(
        workload=workload,
        organisations=(laid_out("A", 1), laid_out("B", 4)),
        cards=(RTX_4090,),
        offers=offers,
    )
