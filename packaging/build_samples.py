"""Writes the sample quotes: `python packaging/build_samples.py [FOLDER]`. Every one is fictional.

Not part of the program: the program opens only the files that this writes.
"""

from __future__ import annotations

import sys
from decimal import Decimal
from pathlib import Path

from sample_parts import (  # this folder is on the path; it puts the root there too
    ASSUMED,
    DAY,
    ESTIMATED,
    FEES_EN,
    FEES_ES,
    FICTION,
    FICTION_EN,
    GIVEN,
    ROOT,
    TEAM,
    blocks,
    equal_tasks,
    evidence,
    given_limit,
    layout,
    memory,
    offers,
    open_fees,
    preconditions,
    resource,
    stated,
    station,
)

from estimator.catalogue import HourlyOffer
from estimator.catalogue.embedded import embedded_catalogue
from estimator.quote import (
    AssignmentPolicy,
    CardFactor,
    DeliveredAs,
    Independence,
    Organisation,
    Partition,
    PartitionChoice,
    Party,
    PathKind,
    Pricing,
    Quote,
    ResourceKind,
    ResourceNeed,
    SharedResource,
    Stage,
    StageKind,
    StageLayout,
    StateClass,
    Tasks,
    Workload,
)
from estimator.storage import quote_to_text
from estimator.units import TimeUnit


def works_index() -> Quote:
    """The source's own example: eight conversions of twelve minutes and ten minutes of assembly."""
    cards, copied = offers("hivenet-rtx-4090", "sample-rtx-4090-1", "sample-b200-sxm-2")
    hourly = copied[0]
    if isinstance(hourly, HourlyOffer):  # the article bills by the second; the documentation by the minute
        note = "El artículo dice facturación por segundo; la documentación, por minuto"
        hourly = hourly.replaced(granularity_s=1, note=note)
    model = {StateClass.MODEL: ("9", "5", "15"), StateClass.DATA: ("4", "4", "4")}
    conversion = Stage(
        id="conversion",
        name="Conversión",
        tasks=equal_tasks(8, "12", evidence(ASSUMED, TEAM, "9", "18")),
        memory=memory(
            TEAM,
            (
                ("Carga", {StateClass.DATA: "5.2"}),
                ("Conversión", {**model, StateClass.TEMPORARIES: ("5", "5", "5")}),
                ("Salida", {StateClass.MODEL: ("9", "5", "15"), StateClass.DATA: "2"}),
            ),
        ),
        preconditions=preconditions(
            "task_fits_one_card", "no_exchange_before_assembly", "load_and_output_included"
        ),
    )
    assembly = Stage(
        id="ensamblaje",
        name="Ensamblaje",
        kind=StageKind.STATION,
        after=("conversion",),
        tasks=equal_tasks(1, "10", evidence(ASSUMED, TEAM, "5", "30")),
        needs=(ResourceNeed(resource_id="puesto"),),
    )
    gate = Stage(id="aceptacion", name="Aceptación", kind=StageKind.GATE, after=("ensamblaje",))
    workload = Workload(
        accepted_result="Índice de las obras, validado",
        computation_unit="conversión de documento",
        delivery_unit="índice completo",
        units_per_delivery=8,
        assembly_rule="Las ocho conversiones, sin omitir ninguna, en un solo índice",
        delivered_as=DeliveredAs.BATCH,
        stages=(conversion, assembly, gate),
        resources=(
            SharedResource(
                id="puesto",
                name="Puesto de ensamblaje",
                kind=ResourceKind.STATION,
                capacity=stated("1", GIVEN, "Cliente"),
            ),
        ),
        limit=given_limit("90", TimeUnit.MINUTE, "Cliente"),
        quota_cards=stated("2", GIVEN, "Cliente"),
        mutual_slow_down=stated("1", ASSUMED, TEAM, "1", "2"),
    )
    return Quote(
        name="Índice de las obras",
        number="2026-0117",
        customer=Party(name="Equipo «Índice de las obras», ficticio"),
        date=DAY,
        workload=workload,
        organisations=(
            Organisation(id="A", name="A", layouts=(blocks("conversion", 1),)),
            Organisation(id="B", name="B", layouts=(blocks("conversion", 2),)),
        ),
        reference_id="A",
        cards=cards,
        offers=(hourly, *copied[1:]),
        pricing=Pricing(tax_percent=stated("21", GIVEN, "Tipo general"), fees=open_fees(FEES_ES)),
        catalogue_version=embedded_catalogue().version,
    )


def consultation_notes() -> Quote:
    """Health: recordings to text behind three licences and one store, then models adapted per ward."""
    cards, copied = offers("sample-h100-sxm-1", "sample-h100-sxm-8", "lambda-h100-sxm")
    team = f"{FICTION_EN}; project team's assumption"
    transcribe = Stage(
        id="transcribe",
        name="Transcription",
        after=("upload",),
        tasks=equal_tasks(320, "6.5", evidence(ASSUMED, team, "5", "9")),
        memory=memory(
            team,
            (
                ("Load", {StateClass.MODEL: "6", StateClass.DATA: "1"}),
                ("Transcribe", {StateClass.MODEL: "6", StateClass.DATA: "2", StateClass.TEMPORARIES: "4"}),
            ),
        ),
        needs=(
            ResourceNeed(resource_id="licence"),
            ResourceNeed(resource_id="store", amount=stated("120", ASSUMED, team, "80", "160")),
        ),
        preconditions=preconditions("task_fits_one_card", "load_and_output_included"),
    )
    adapt = Stage(
        id="adapt",
        name="Adaptation of one model per ward",
        after=("transcribe",),
        tasks=equal_tasks(8, "347", evidence(ESTIMATED, team, "300", "420")),
        memory=memory(
            team,
            (
                ("Load", {StateClass.MODEL: "15"}),
                (
                    "Training step",
                    {
                        StateClass.MODEL: "15",
                        StateClass.STATE: ("6", "4", "8"),
                        StateClass.DATA: "1",
                        StateClass.TEMPORARIES: ("28", "20", "40"),
                    },
                ),
                ("Save", {StateClass.MODEL: "15", StateClass.STATE: "6"}),
            ),
        ),
        preconditions=preconditions("task_fits_one_card"),
    )
    workload = Workload(
        accepted_result="Consultation notes of eight wards, reviewed by a clinician",
        computation_unit="recording, then model of a ward",
        delivery_unit="whole set of eight wards",
        units_per_delivery=8,
        assembly_rule="Every recording appears once in the notes of its ward",
        independence=Independence.BY_STAGE,
        stages=(
            station("upload", "Upload of recordings", (), 1, "40", "workstation", team),
            transcribe,
            adapt,
            station("review", "Clinical review", ("adapt",), 8, "20", "reviewers", team),
            Stage(id="acceptance", name="Acceptance", kind=StageKind.GATE, after=("review",)),
        ),
        resources=(
            resource("licence", "Transcription licences", ResourceKind.LICENCE, "3", "", "Contract"),
            resource(
                "store", "Hospital store", ResourceKind.STORAGE, "600", "MB/s", "Customer's systems team"
            ),
            resource("workstation", "Upload workstation", ResourceKind.STATION, "1", "", "Customer"),
            resource("reviewers", "Reviewing clinicians", ResourceKind.STATION, "2", "", "Customer"),
        ),
        limit=given_limit("36", TimeUnit.HOUR, "Customer"),
        mutual_slow_down=stated("1", ASSUMED, team, "1", "1.4"),
    )
    return Quote(
        name="Consultation notes",
        number="2026-0121",
        customer=Party(name="Ward Notes group, fictional"),
        date=DAY,
        language="en",
        number_format="en_US",
        workload=workload,
        organisations=tuple(
            Organisation(
                id=f"cards-{count}",
                name=f"{count} at once",
                layouts=tuple(layout(stage, count) for stage in ("transcribe", "adapt")),
            )
            for count in (1, 4, 8)
        ),
        reference_id="cards-1",
        cards=cards,
        offers=copied,
        pricing=Pricing(
            tax_percent=stated("21", GIVEN, "General rate"),
            contingency_percent=stated("5", GIVEN, "House rule"),
            fees=open_fees(FEES_EN),
        ),
        catalogue_version=embedded_catalogue().version,
        notes="The hourly price is in dollars: type a dated exchange rate, or compare lots alone.",
    )


def north_facade() -> Quote:
    """Architecture: frames of unequal duration, two card models, one store."""
    cards, copied = offers(
        "sample-rtx-4090-1", "sample-rtx-4090-4", "sample-rtx-5090-1", "sample-rtx-5090-4", "hivenet-rtx-5090"
    )
    frames = Tasks(
        count=(180, 96, 24),
        duration=(Decimal("4.5"), Decimal("11"), Decimal("38")),
        names=("Interior de día", "Exterior al atardecer", "Vidrio y vegetación"),
        evidence=evidence(ESTIMATED, f"{FICTION}; tres fotogramas de prueba"),
    )
    render = Stage(
        id="fotogramas",
        name="Cálculo de fotogramas",
        tasks=frames,
        card_factors=(
            CardFactor(card_id="rtx-4090", factor=stated("1", ASSUMED, TEAM, "1", "1")),
            CardFactor(card_id="rtx-5090", factor=stated("0.72", ASSUMED, TEAM, "0.6", "0.85")),
        ),
        memory=memory(
            TEAM,
            (
                ("Carga de escena", {StateClass.DATA: ("13", "11", "16")}),
                (
                    "Trazado",
                    {StateClass.DATA: ("13", "11", "16"), StateClass.TEMPORARIES: ("4.5", "3", "6")},
                ),
                ("Escritura", {StateClass.DATA: ("13", "11", "16"), StateClass.TEMPORARIES: "1"}),
            ),
        ),
        needs=(ResourceNeed(resource_id="almacen", amount=stated("45", ASSUMED, TEAM, "30", "90")),),
        path=PathKind.NETWORK,
        preconditions=preconditions("task_fits_one_card", "no_exchange_before_assembly"),
    )
    workload = Workload(
        accepted_result="Recorrido de la fachada norte, montado y aprobado por el estudio",
        computation_unit="fotograma",
        delivery_unit="recorrido completo",
        units_per_delivery=300,
        assembly_rule="Los 300 fotogramas en orden, sin huecos",
        stages=(
            render,
            station("montaje", "Montaje", ("fotogramas",), 1, "90", "sala", TEAM),
            Stage(id="aprobacion", name="Aprobación", kind=StageKind.GATE, after=("montaje",)),
        ),
        resources=(
            resource("almacen", "Almacén de escenas", ResourceKind.STORAGE, "400", "MB/s", "Cliente"),
            resource("sala", "Sala de montaje", ResourceKind.STATION, "1", "", "Cliente"),
        ),
        limit=given_limit("16", TimeUnit.HOUR, "Cliente"),
        mutual_slow_down=stated("1", ASSUMED, TEAM, "1", "1.3"),
    )
    policies = (
        ("bloques", "Cuatro, bloques fijos", AssignmentPolicy.BLOCKS),
        ("disponibilidad", "Cuatro, por disponibilidad", AssignmentPolicy.AVAILABILITY),
        ("largas", "Cuatro, las largas primero", AssignmentPolicy.LONGEST_FIRST),
    )
    return Quote(
        name="Fachada norte",
        number="2026-0124",
        customer=Party(name="Estudio de la Rambla, ficticio"),
        date=DAY,
        workload=workload,
        organisations=(
            Organisation(id="una", name="Una tarjeta", layouts=(blocks("fotogramas", 1),)),
            *(
                Organisation(
                    id=each,
                    name=name,
                    layouts=(StageLayout(stage_id="fotogramas", tasks_at_once=4, policy=policy),),
                )
                for each, name, policy in policies
            ),
        ),
        reference_id="una",
        cards=cards,
        offers=copied,
        pricing=Pricing(tax_percent=stated("21", GIVEN, "Tipo general"), fees=open_fees(FEES_ES)),
        catalogue_version=embedded_catalogue().version,
    )


def molecular_dynamics() -> Quote:
    """Materials: replicas that last days, so that terms follow each other on a lot."""
    cards, copied = offers(
        "sample-a100-sxm-80-1", "sample-a100-sxm-80-4", "sample-l40s-1", "sample-h100-sxm-8"
    )
    replicas = Stage(
        id="replicas",
        name="Réplicas de la simulación",
        tasks=equal_tasks(
            24, "62", evidence(ESTIMATED, f"{FICTION}; réplica corta", "54", "75"), TimeUnit.HOUR
        ),
        card_factors=(
            CardFactor(card_id="a100-sxm-80", factor=stated("1", ASSUMED, TEAM, "1", "1")),
            CardFactor(card_id="h100-sxm", factor=stated("0.65", ASSUMED, TEAM, "0.55", "0.8")),
            CardFactor(card_id="l40s", factor=stated("0.9", ASSUMED, TEAM, "0.7", "1.3")),
        ),
        memory=memory(
            TEAM,
            (
                ("Equilibrado", {StateClass.DATA: "3", StateClass.STATE: "7", StateClass.TEMPORARIES: "4"}),
                (
                    "Producción",
                    {StateClass.DATA: "3", StateClass.STATE: ("9", "7", "12"), StateClass.TEMPORARIES: "6"},
                ),
            ),
        ),
        path=PathKind.HOST_MEMORY,
        preconditions=preconditions("task_fits_one_card", "no_exchange_before_assembly"),
    )
    workload = Workload(
        accepted_result="Energía libre del polímero con su error, revisada",
        computation_unit="réplica",
        delivery_unit="conjunto de 24 réplicas",
        units_per_delivery=24,
        assembly_rule="Las 24 trayectorias, con la misma versión del programa",
        stages=(
            replicas,
            station("analisis", "Análisis conjunto", ("replicas",), 1, "240", "estacion", TEAM),
            Stage(id="revision", name="Revisión", kind=StageKind.GATE, after=("analisis",)),
        ),
        resources=(resource("estacion", "Estación de análisis", ResourceKind.STATION, "1", "", "Cliente"),),
        limit=given_limit("24", TimeUnit.DAY, "Cliente"),
        quota_cards=stated("8", GIVEN, "Cliente"),
        mutual_slow_down=stated("1", ASSUMED, TEAM, "1", "1.15"),
    )
    return Quote(
        name="Dinámica molecular",
        number="2026-0128",
        customer=Party(name="Grupo Polímeros de Ribera, ficticio"),
        date=DAY,
        workload=workload,
        organisations=tuple(
            Organisation(id=f"n{count}", name=f"{count} a la vez", layouts=(layout("replicas", count),))
            for count in (1, 4, 8)
        ),
        reference_id="n4",
        cards=cards,
        offers=copied,
        pricing=Pricing(
            tax_percent=stated("21", GIVEN, "Tipo general"),
            discount_percent=stated("5", GIVEN, "Acuerdo marco, ficticio"),
            fees=open_fees(FEES_ES),
        ),
        catalogue_version=embedded_catalogue().version,
    )


def credit_risk() -> Quote:
    """Finance: a thousand scenario sets of distinct durations, every night within six hours."""
    cards, copied = offers("sample-l4-1", "sample-l40s-1", "sample-a40-2", "sample-a100-sxm-80-4")
    team = f"{FICTION_EN}; desk's assumption"
    # 1,000 distinct durations, 20 s to 119.9 s: 617 and 1000 share no factor, so that no remainder comes twice.
    seconds = tuple(Decimal(200 + index * 617 % 1000) / 10 for index in range(1000))
    scenarios = Stage(
        id="scenarios",
        name="Scenario sets",
        after=("market",),
        tasks=Tasks(
            count=(1,) * 1000,
            duration=seconds,
            unit=TimeUnit.SECOND,
            evidence=evidence(ESTIMATED, team),
        ),
        card_factors=(
            CardFactor(card_id="l4", factor=stated("1.8", ASSUMED, team, "1.4", "2.4")),
            CardFactor(card_id="l40s", factor=stated("1", ASSUMED, team, "1", "1")),
            CardFactor(card_id="a40", factor=stated("1.3", ASSUMED, team, "1.1", "1.6")),
            CardFactor(card_id="a100-sxm-80", factor=stated("0.7", ASSUMED, team, "0.5", "0.9")),
        ),
        memory=memory(
            team,
            (
                ("Load of curves", {StateClass.DATA: "3"}),
                ("Simulation", {StateClass.DATA: "3", StateClass.STATE: "8", StateClass.TEMPORARIES: "4"}),
            ),
        ),
        preconditions=preconditions("task_fits_one_card", "no_exchange_before_assembly"),
    )
    workload = Workload(
        accepted_result="Night's credit exposure, signed by risk control",
        computation_unit="scenario set",
        delivery_unit="exposure report",
        units_per_delivery=1000,
        assembly_rule="All 1,000 sets, aggregated in a fixed order; tolerance 1 basis point",
        stages=(
            station("market", "Market data close", (), 1, "25", "server", team),
            scenarios,
            station("report", "Aggregation and report", ("scenarios",), 1, "35", "server", team),
            Stage(id="signature", name="Signature", kind=StageKind.GATE, after=("report",)),
        ),
        resources=(resource("server", "Risk server", ResourceKind.STATION, "1", "", "Bank"),),
        limit=given_limit("6", TimeUnit.HOUR, "Bank"),
        budget=stated("2500", GIVEN, "Bank"),
        mutual_slow_down=stated("1", ASSUMED, team, "1", "1.2"),
    )
    return Quote(
        name="Credit risk",
        number="2026-0130",
        customer=Party(name="Northgate Savings, fictional"),
        date=DAY,
        language="en",
        number_format="en_US",
        workload=workload,
        organisations=(
            Organisation(id="split", name="Four, fixed split", layouts=(blocks("scenarios", 4),)),
            Organisation(id="free", name="Four, first free", layouts=(layout("scenarios", 4),)),
            Organisation(id="eight", name="Eight, first free", layouts=(layout("scenarios", 8),)),
        ),
        reference_id="split",
        cards=cards,
        offers=copied,
        pricing=Pricing(tax_percent=stated("21", GIVEN, "General rate"), fees=open_fees(FEES_EN)),
        catalogue_version=embedded_catalogue().version,
    )


def cooperative_training() -> Quote:
    """One training over two cards: its state fits only where the mechanism divides it."""
    cards, copied = offers("sample-b200-sxm-2")
    training = Stage(
        id="afinado",
        name="Afinado del modelo",
        kind=StageKind.COOPERATIVE,
        tasks=equal_tasks(1, "54", evidence(ESTIMATED, FICTION, "45", "70"), TimeUnit.HOUR),
        memory=memory(
            TEAM,
            (
                ("Carga", {StateClass.MODEL: ("32", "32", "32")}),
                (
                    "Paso de entrenamiento",
                    {
                        StateClass.MODEL: ("32", "32", "32"),
                        StateClass.STATE: ("200", "190", "210"),
                        StateClass.TEMPORARIES: ("18", "14", "24"),
                        StateClass.EXCHANGE: ("2", "1", "4"),
                    },
                ),
                ("Guardado", {StateClass.MODEL: ("32", "32", "32"), StateClass.STATE: ("200", "190", "210")}),
            ),
            context="0.8",
        ),
        path=PathKind.CARD_LINK,
    )
    workload = Workload(
        accepted_result="Modelo afinado que supera la evaluación acordada",
        computation_unit="entrenamiento",
        delivery_unit="modelo evaluado",
        units_per_delivery=1,
        assembly_rule="Un solo estado final",
        independence=Independence.COOPERATIVE,
        delivered_as=DeliveredAs.UNIT,
        stages=(
            training,
            station("evaluacion", "Evaluación", ("afinado",), 1, "180", "puesto", TEAM),
            Stage(id="aceptacion", name="Aceptación", kind=StageKind.GATE, after=("evaluacion",)),
        ),
        resources=(resource("puesto", "Puesto de evaluación", ResourceKind.STATION, "1", "", "Cliente"),),
        limit=given_limit("5", TimeUnit.DAY, "Cliente"),
    )
    plain = blocks("afinado", 1, cards=2)
    divided = plain.replaced(
        partitions=tuple(
            PartitionChoice(state_class=each, partition=Partition.PARTITIONED)
            for each in (StateClass.MODEL, StateClass.STATE)
        )
    )
    return Quote(
        name="Afinado cooperativo",
        number="2026-0133",
        customer=Party(name="Archivo de la Bahía, ficticio"),
        date=DAY,
        workload=workload,
        organisations=(
            Organisation(
                id="replicado",
                name="Dos tarjetas, estado replicado",
                layouts=(plain,),
                mechanism="DDP",
                mechanism_evidence=evidence(ASSUMED, TEAM),
            ),
            Organisation(
                id="repartido",
                name="Dos tarjetas, estado repartido",
                layouts=(divided,),
                mechanism="FSDP",
                mechanism_evidence=evidence(ASSUMED, TEAM),
            ),
        ),
        reference_id="replicado",
        cards=cards,
        offers=copied,
        pricing=Pricing(tax_percent=stated("21", GIVEN, "Tipo general"), fees=open_fees(FEES_ES)),
        catalogue_version=embedded_catalogue().version,
    )


SAMPLES = {
    "indice-de-las-obras": works_index,
    "consultation-notes": consultation_notes,
    "fachada-norte": north_facade,
    "dinamica-molecular": molecular_dynamics,
    "credit-risk": credit_risk,
    "afinado-cooperativo": cooperative_training,
}


def main() -> None:
    """Write every sample into the folder named, or into the program's own."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "resources" / "samples"
    for name, build in SAMPLES.items():
        (folder / f"{name}.cabida").write_text(quote_to_text(build()), "utf-8", newline="\n")


if __name__ == "__main__":
    main()
