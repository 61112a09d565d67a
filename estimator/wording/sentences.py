"""The sentences of the codes that engines, checks and storage return, and the words of evidence.

Data only. `_` and `_n` mark a literal for the extractor and return it; translation comes later.
Gaps are named as the code's `values` name them; a name ending in `_ms`, `_bytes` or `_percent` says its unit.
"""

from __future__ import annotations

from estimator.evidence import EvidenceKind
from estimator.wording.import_sentences import IMPORT_SENTENCES


def _(sentence: str) -> str:
    return sentence


def _n(one: str, many: str) -> tuple[str, str]:
    return one, many


EVIDENCE: dict[EvidenceKind, str] = {
    EvidenceKind.MEASURED: _("Measured"),
    EvidenceKind.GIVEN: _("Given"),
    EvidenceKind.DERIVED: _("Derived"),
    EvidenceKind.ESTIMATED: _("Estimated"),
    EvidenceKind.ASSUMED: _("Assumed"),
    EvidenceKind.UNKNOWN: _("Unknown"),
}

SENTENCES: dict[str, str] = {
    # typed text
    "unreadable_number": _("This is not a number. Write it as 1234.5 or 1234,5."),
    "ambiguous_number": _("This number can be read in two ways. Write it without marks between thousands."),
    "other_unit": _("The number has another unit than this field. Write it in the field's unit."),
    "unreadable_duration": _("This is not a duration. Write 90, 1:30 or 1h30."),
    "ambiguous_duration": _("This duration can be read in two ways. Write its units, such as 1 min 30 s."),
    "not_whole": _("A whole number is needed here."),
    "negative": _("The number cannot be negative."),
    "below_minimum": _("The least that this field takes is {minimum}."),
    "above_maximum": _("The most that this field takes is {maximum}."),
    "unreadable_time": _("This is not a time of day. Write it as 8:30."),
    "unreadable_date": _("This is not a date. Write it as 2026-11-30."),
    "range_reversed": _("The low end of the range is above the high end. Exchange them."),
    # lots and terms
    "no_lots": _("There are no lots to choose from. Import prices or add a lot."),
    "task_wider_than_lot": _("No lot holds a task of {cards_per_task} cards. A task does not cross lots."),
    "no_term_price": _("No fitting lot has a price for a term. Add the price of a term."),
    "stock_too_small": _(
        "The lots in stock hold {available} tasks at once and {needed} are needed. Add lots or ask for fewer."
    ),
    "missing_rate": _(
        "There is no exchange rate for {currency}. Without it there is no total: type the rate."
    ),
    "tax_not_included": _("No tax rate is given: tax is not included."),
    "nothing_priced": _("Nothing has a price yet. Add a price, or there is no total."),
    "amount_too_large": _("An amount is too large to plan with. Check the prices and their currency."),
    "budget_too_small": _("The budget is below the least cost, {least_cost}."),
    "deadline_not_met": _("No lots and terms meet the limit."),
    "interruptible_with_limit": _("This offer can be interrupted, and the customer set a limit."),
    "missing_price": _("{offer} has no price. Without it there is no total: add the price."),
    "missing_quantity": _(
        "{fee} has a price and no quantity. Without it there is no total: add the quantity."
    ),
    "issue_without_answer": _("A quote is issued with an answer and its total. Complete it first."),
    "issue_without_customer": _("A quote is issued to a customer. Write who it is."),
    "issue_without_number": _("A quote is issued under a number. Write it."),
    "missing_kept_days": _(
        "{fee} is charged for the days kept, and they are not known. Without them there is no total: add them."
    ),
    "missing_power": _(
        "{fee} is charged by the energy drawn, and the rated power of {card} is not known. Write it on its card."
    ),
    "missing_interruptions": _(
        "How often the cards of {offer} are taken away is not known. State it: without it no date is sure."
    ),
    "missing_set_up": _("The set-up time of the offer is not known. Write it, 0 if there is none."),
    "offer_too_small": _("The offer has {available} cards and {cards} are needed."),
    "missing_ownership": _("What owning costs is not complete: a number is blank."),
    "no_plan_of_this_way": _("No plan with a price rents this way."),
    "owning_never_cheaper": _("The energy alone costs as much as renting."),
    "slices_not_mixed": _("Offers are not mixed where cards are cut into slices."),
    "seller_forbidden": _("{seller} is not admitted ({reason})."),
    "seller_forbidden_unexplained": _("{seller} is not admitted by the customer's rules."),
    "over_budget": _("The plan costs more than the budget."),
    "over_quota": _("The plan takes more cards than the quota."),
    # work and organisation
    "cannot_run": _("{stage} can never start: it asks for more than any lot or shared resource holds."),
    "card_not_eligible": _("{card} is not among the card models of {stage}."),
    "card_unknown": _("The catalogue does not know the card {card}. Add it."),
    "chosen_plan_gone": _("The plan you chose is no longer possible. Another is shown: choose one."),
    "cycle": _("These stages wait for each other: {stages}. Take one link away."),
    "does_not_fit": _("The task does not fit on {card}: {short_bytes} short on each card."),
    "limit_not_met": _("The earliest delivery, {earliest_ms}, is later than the limit of {limit_ms}."),
    "missing_capacity": _("The capacity of {resource} is missing."),
    "missing_duration": _("The duration of {stage} is missing."),
    "missing_factor": _("A card's factor is missing in {stage}."),
    "missing_need": _("How much a task of {stage} takes of a shared resource is missing."),
    "missing_slow_down": _("The mutual slow-down is missing. Write 1 if tasks do not slow each other down."),
    "missing_memory": _("The memory of a task of {stage} is missing."),
    "missing_context": _("The context of {stage} is missing. Write 0 if there is none."),
    "missing_margin": _("The margin of {stage} is missing. Write 0 if there is none."),
    "no_peak": _("The memory of a task is missing: the peak is not known."),
    "plan_not_kept": _("The plan cannot be kept with that value."),
    "too_many_tasks": _("There are too many single tasks to draw them again and again."),
    "no_price": _("Without a price there is no total. Choose an offer."),
    "no_offer": _("No offer is chosen: without a price there is no total."),
    "no_mechanism": _("Nothing says how a task is spread over several cards. Name the mechanism."),
    "no_organisation": _("There is no organisation yet. Add one."),
    "no_work": _("There is nothing to compute yet. Add a stage that runs on cards."),
    "budget_not_positive": _("The budget must be above 0. Leave it blank if there is none."),
    "capacity_not_positive": _("The capacity of {resource} must be above 0."),
    "duration_not_positive": _("The duration of {stage} must be above 0. Until then there is no delivery."),
    "id_twice": _("The name {id} stands twice in the file. Rename one."),
    "limit_not_positive": _("The limit must be above 0. Leave it blank if there is none."),
    "memory_negative": _("The memory of {stage} cannot be negative."),
    "offer_unknown": _("The organisation names the offer {id}, which the quote does not hold. Take it away."),
    "percent_out_of_range": _("The percentage must lie between 0 and 100."),
    "price_old": _(
        "The price of {offer} is {days} days old. The quote stays provisional until it is renewed."
    ),
    "price_undated": _("The price of {offer} has no date. The quote stays provisional until it has one."),
    "quota_cards_not_positive": _("The card quota must be above 0. Leave it blank if there is none."),
    "resource_unknown": _(
        "{stage} needs the shared resource {id}, which does not exist. Take the need away."
    ),
    "slow_down_below_one": _("The mutual slow-down is at least 1: tasks do not speed each other up."),
    "missing_slice_factor": _(
        "How long a task takes on a slice is missing. Write 1 if the stated times are those of a slice."
    ),
    "no_such_slice": _("{card} is not cut into {slice}: no plan of this organisation uses it."),
    "slice_factor_below_one": _(
        "A task takes at least its stated time on a slice: the factor is at least 1."
    ),
    "slice_too_narrow": _(
        "{stage} needs several cards at once, and slices of cards do not exchange data. Use whole cards."
    ),
    "slice_without_card": _("No card of the quote is cut into {slice}. Choose an offer of its card."),
    "stage_unknown": _("{stage} waits for the stage {id}, which does not exist. Take the link away."),
    # when
    "clock_changes": _(
        "The clocks change before the delivery: from then on working hours are an hour off. Check the last days."
    ),
    "due_before_release": _("{name} is due before its earliest start. Correct one of the two."),
    "hours_without_start": _(
        "{name} has working hours and the quote has no start. State the day, the hour and the time zone."
    ),
    "missing_due": _("The due date of {name} is missing. Leave it out if there is none."),
    "missing_release": _("The earliest start of {name} is missing. Write 0 if there is none."),
    "moment_negative": _("The earliest start and the due date of {name} cannot lie before the start."),
    "no_hours_long_enough": _(
        "No stretch of working hours, its own and its cards', takes a task of {stage}. Open longer or let it pause."
    ),
    "no_whole_share": _(
        "{stage} takes {before} unit by unit, but {before_count} tasks have no whole share in {count}. "
        "Correct a count or let it wait for the whole stage."
    ),
    "outruns_rental": _("No place was found for {stage} before its cards leave."),
    "project_late": _("{name} is delivered {late_ms} after its due date ({due_ms} from the start)."),
    "project_unknown": _("{stage} belongs to the project {id}, which does not exist. Choose another."),
    "share_differs": _(
        "Each task of {stage} takes {share} of {before}, and a delivery is stated as {per_delivery}."
    ),
    "stage_late": _("{name} ends {late_ms} after its due date ({due_ms} from the start)."),
    # models
    "config_too_large": _("The configuration is over {limit} bytes. It was not read."),
    "config_not_json": _("The configuration is not JSON. Choose the model's config.json."),
    "config_not_an_object": _("The configuration holds no model. Choose the model's config.json."),
    "config_field_missing": _("The configuration does not state {field}. Write it: it is not guessed."),
    "config_field_not_a_number": _("{field} in the configuration is not a whole number. Correct it."),
    "config_field_not_a_flag": _("{field} in the configuration is not true or false. Correct it."),
    "config_field_not_a_list": _("{field} in the configuration is not a list that can be read. Correct it."),
    "config_field_out_of_range": _(
        "{field} in the configuration must lie between {least} and {limit}. Correct it."
    ),
    "model_type_unknown": _("The model format {model_type} is not known. State the memory by phases."),
    "kv_heads_do_not_divide": _(
        "{kv_heads} KV heads do not divide {heads} heads. Correct the configuration."
    ),
    "heads_do_not_divide_hidden": _(
        "{heads} heads do not divide the width {hidden}. State the width of a head."
    ),
    "layer_types_length": _(
        "The configuration names {found} kinds of layers for {layers} layers. Correct the configuration."
    ),
    "layer_type_unknown": _("The kind of layer {kind} is not known. State the memory by phases."),
    "experts_per_token_above_experts": _(
        "A token cannot go to {per_token} experts of {experts}. Correct the configuration."
    ),
    "tower_not_counted": _(
        "A part of the model beside its language model has an unknown shape: not counted."
    ),
    "context_length_not_stated": _("The configuration does not state the longest context."),
    "reads_no_tokens": _("The model reads no tokens: it has no context length."),
    "stored_type_not_stated": _("The configuration states no known type of its weights."),
    "quantisation_unknown": _("The way {method} packs weights is not known."),
    "quantisation_size_missing": _("The configuration does not state the bits and groups of {method}."),
    "gguf_mixture": _("{kind} mixes several formats: only the size of its file says what it takes."),
    "metadata_counts_missing": _("The metadata hold no count of parameters by type."),
    "metadata_count_not_a_number": _("The count of {type} in the metadata is not a whole number."),
    "metadata_packed_elements": _("The metadata count packed elements ({types}), which are no parameters."),
    "metadata_total_disagrees": _(
        "The metadata declare {declared} parameters and their types add up to {counted}. The sum is used."
    ),
    "model_not_read": _("The model {model} is incomplete. Complete its configuration."),
    "denoiser_not_described": _(
        "The denoiser is not described. Read the config.json of its unet or transformer too."
    ),
    "denoiser_option_not_counted": _(
        "{field} in the configuration makes another network than those that are counted. State phases."
    ),
    "denoiser_unknown": _(
        "There is no form for {model_class}. Read a UNet, an SD3 or a Flux transformer, or state phases."
    ),
    "image_too_large": _("{model} takes images of at most {side} px a side. Make them smaller."),
    "image_decoder_not_described": _(
        "The image decoder is not described. Read the config.json of its vae too."
    ),
    "image_decoder_unknown": _("There is no form for {model_class}. Read an AutoencoderKL or state phases."),
    "text_encoder_unknown": _(
        "There is no form for the text encoder {model_type}. Read a CLIP or a T5, or encode the texts elsewhere."
    ),
    "text_encoders_not_described": _(
        "The text encoders are not described. Read the config.json of each, or encode the texts elsewhere."
    ),
    "recipe_not_for_model": _("That recipe is of another kind than {model}. Choose how the model is run."),
    "no_closed_form": _("There is no form for {model} run this way. Change the recipe or state phases."),
    "split_not_legal": _(
        "The model cannot be divided over {cards} cards: heads and layers stay whole. Change the number."
    ),
    "split_without_form": _(
        "There is no form for this recipe divided this way over {cards} cards. Choose another division."
    ),
    "degrees_do_not_divide": _(
        "Tensor × pipeline × context do not divide {cards} cards. Change a degree or the number of cards."
    ),
    "tensor_degree_not_legal": _(
        "The tensor degree must divide the heads, and the KV heads or be a multiple of them. Change it."
    ),
    "pipeline_degree_not_legal": _(
        "A pipeline needs a layer for each stage and virtual stage, and two stages to interleave. Change it."
    ),
    "context_degree_not_legal": _(
        "All to all divides the heads among the context ranks: they must divide evenly. Change the degree."
    ),
    "expert_degree_not_legal": _(
        "The expert degree must divide the experts and the ranks that share them. Change it; 1 without experts."
    ),
    "offload_without_form": _(
        "There is no form for this offload. Parameters need full shards; activations, recomputing and no pipeline."
    ),
    "backward_step_without_form": _(
        "A step fused in the backward has a form on one card alone, without accumulation or fp32 copies."
    ),
    "products_without_form": _(
        "Keeping every second product has a form in full shards alone, with layers recomputed, without biases or LoRA."
    ),
    # scores
    "no_cases": _("{name} holds no list of cases."),
    "no_points": _("{name} holds no list of points."),
    "no_form_for_point": _("No form covers it."),
    "reading_is_a_sum": _("It adds up several cards: no card's own peak is stated."),
    "reading_without_sizes": _("Its source does not state batch, length or steps."),
    "reading_is_coarse": _("Its source leaves out what moves the peak: which adapters, which optimiser."),
    "reading_recomputes_some": _(
        "Operations are recomputed selectively: only full shards have a form for that."
    ),
    "point_not_measured": _("It has no measured bytes."),
    "point_not_read": _("Its fields cannot be read."),
    "point_out_of_bounds": _("Its numbers are out of bounds."),
    # proofs
    "proof_cancelled": _("The proof was cancelled. Nothing has changed."),
    "proof_crashed": _("The proof broke off without an answer. Nothing has changed: prove again."),
    "proof_needless": _("The best plan found is optimal already: choose that assignment."),
    "proof_no_plan": _("These tasks cannot all run, so there is no plan to prove."),
    "proof_no_time": _("A task on cards takes no time: such a plan cannot be proved."),
    "proof_nodes_mixed": _(
        "Some tasks keep to a node and others cross the nodes of the same lot: such a plan cannot be proved."
    ),
    "proof_not_expressed": _("The plan holds something that a proof cannot express."),
    "proof_not_installed": _(
        "A proof needs the extra cabida[prove], OR-Tools. Install it with {command}, then prove again."
    ),
    "proof_optimal": _("The plan is optimal already: its delivery is the lower bound."),
    "proof_overtaken": _("The proof was stopped: the tasks or cards have changed. Prove again."),
    "proof_too_large": _("There are too many tasks for a proof. The lower bound shown holds all the same."),
    "proof_wrong": _("The proof gave a plan that breaks a rule. It was not used, and nothing has changed."),
    # files
    "catalogue_missing": _("{name} has no catalogue inside. It was not opened."),
    "cell_too_long": _("{name} has a cell of over {most} characters at line {line}. It was not imported."),
    "encoding_assumed": _("The text is not UTF-8 and was read as {encoding}. Check the accents."),
    "no_offers_read": _("No offer could be read from {name}."),
    "not_a_catalogue": _("{name} is not a Cabida catalogue."),
    "row_wider_than_header": _(
        "{name} has {row} cells at line {line} under {header} headings. It was not imported."
    ),
    "sheet_missing": _("{name} has no sheet {sheet}."),
    "sheets_left_out": _("Only the sheet {sheet} was read. Left out: {others}."),
    "table_broken": _("{name} cannot be read as a table at line {line}. It was not imported."),
    "table_empty": _("{name} holds no table."),
    "too_many_columns": _("{name} has over {most} columns at line {line}. It was not imported."),
    "too_many_rows": _("{name} has over {most} rows. It was not imported."),
    "workbook_broken": _("{name} is a broken workbook. It was not imported."),
    "workbook_has_entities": _("{name} holds XML entities, which are not read. It was not imported."),
    "workbook_has_macros": _("{name} holds macros. Save it as .xlsx without them."),
    "workbook_old_or_encrypted": _(
        "{name} is in the old format or has a password. Save it as .xlsx without one."
    ),
    "workbook_unpacks_too_large": _("{name} unpacks to more than is read. It was not imported."),
    "workbook_not_exported": _("{name} is no workbook that Cabida exported from a plan."),
    "workbook_of_other_state": _(
        "{name} was exported from another quote, or before its last change. Open the quote as it was then."
    ),
    "workbook_too_many_tasks": _(
        "The plan has over {most} rows of tasks. Such a workbook is not taken back: change the quote here."
    ),
    "workbook_cell_no_number": _("{name}: cell {cell} of {sheet} holds no number. Nothing was taken back."),
    "workbook_cell_outside": _(
        "{name}: the number in cell {cell} of {sheet} is outside what it can be. Nothing was taken back."
    ),
    "workbook_cell_not_whole": _(
        "{name}: cell {cell} of {sheet} needs a whole number. Nothing was taken back."
    ),
    "workbook_not_calculated": _(
        "{name}: cell {cell} of {sheet} has no result. Open and save it in a spreadsheet program first."
    ),
    "workbook_result_differs": _(
        "{name}: cell {cell} of {sheet} says {found}, where Cabida calculates {expected}. Nothing was taken back."
    ),
    "not_a_picture": _("{name} is no picture that can be read."),
    "picture_too_large": _("{name} is too large for a logo. Make it smaller first."),
    "no_schedule_yet": _("There is no schedule yet. Nothing was written."),
    "no_file_named": _("Name a .cabida file, or an embedded sample with --sample."),
    "not_a_quote": _("This file is not a Cabida quote."),
    "quote_missing": _("The file has no quote inside. It was not opened."),
    "broken_at": _("The file is broken at {place} ({reason}). It was not opened."),
    "broken_json": _("The file is broken at line {line}, column {column}. It was not opened."),
    "broken_number": _("The file holds a number that is not finite. It was not opened."),
    "nested_too_deep": _("The file is nested too deep to be a quote. It was not opened."),
    "format_missing": _("The file does not say its format. It was not opened."),
    "format_newer": _(
        "The file has format {found} and this version knows up to {known}. Open it with a newer Cabida."
    ),
    "file_too_large": _("{name} is over {largest_mib} MiB, more than a quote takes. It was not opened."),
    "not_text": _("{name} is not a text file (at byte {at}). It was not opened."),
    "disk_full": _("There is no room left for {name} on the disk. Free some space or save it elsewhere."),
    "folder_read_only": _("The folder of {name} is read-only. Save it elsewhere."),
    "no_permission": _("You have no permission for {name}. Choose another folder or ask for access."),
    "not_found": _("{name} is not there. It was moved, renamed or deleted."),
    "is_a_folder": _("{name} is a folder. Choose a file."),
    "name_too_long": _("The name {name} is too long for this disk. Choose a shorter one."),
    "cannot_access": _("{name} cannot be read or written. Check the disk and try again."),
    **IMPORT_SENTENCES,
}
"""One sentence a code."""

CONDITIONS: dict[str, str] = {
    "assignment_mechanism": _("A program hands out the tasks as cards become free."),
    "capacity": _("{resource} has the capacity that was assumed."),
    "cooperative_mechanism": _("{mechanism} works on this program and these cards."),
    "task_fits_one_card": _("A task fits alone on one card."),
    "no_exchange_before_assembly": _("There is no exchange before the assembly."),
    "load_and_output_included": _("The stated duration includes load and output."),
    "duration": _("Each task of {stage} takes as long as was assumed."),
    "fits_if": _("The task fits on {card} only at the value used."),
    "handed_over_singly": _("{stage} takes each finished unit at once, without waiting for the others."),
    "host_memory": _("The node has {host_bytes} of its own memory free for each task of {stage}."),
    "hours": _("{stage} has the working hours that were assumed."),
    "input_unknown": _("A number that the plan needs is known."),
    "memory_peak": _("The memory peak of {stage} is at most {peak_bytes}."),
    "number": _("A number that could change the plan is as it was taken: {value}."),
    "partition": _("The memory of {stage} is partitioned over the cards as stated."),
    "pauses": _("A task of {stage} can pause when its hours end and go on later without loss."),
    "release": _("What {stage} needs is there at its earliest start."),
    "price_old": _("The price of {offer} still holds: it is {days} days old."),
    "price_sample": _("{offer} has a SAMPLE price: a seller confirms a real one."),
    "price_undated": _("The price of {offer} has a date."),
    "shared_duration": _("A task takes no longer than was assumed while {per_card} share a card."),
    "shared_memory": _("Each of the {per_card} tasks on a card keeps to its part of the memory."),
    "shared_permitted": _("The provider lets {per_card} tasks share a card."),
    "slice_duration": _("On a slice {slice} a task takes no longer than was assumed."),
    "slice_permitted": _("The provider cuts {card} into {per_card} slices {slice}."),
    "slice_size": _("A slice {slice} of {card} holds {usable_bytes}, as its label says."),
    "slow_down": _("Tasks that run at once slow each other down no more than was assumed."),
    "station_duration": _("{stage} takes as long as was assumed."),
    "topology": _("The cards of a task are joined as was assumed."),
}
"""What has to hold before a quote is firm, a claim each; derived by `conditions`."""

COUNTER_EXAMPLES: dict[str, str] = {
    "all_on_channel": _("The whole task, {hold_ms}, goes through one shared channel."),
    "shared_channel": _("{hold_ms} of each task go through one shared channel, {compute_ms} do not."),
    "unequal_availability": _(
        "{long_count} tasks of {long_ms} and then {short_count} of {short_ms}, assigned by availability."
    ),
    "unequal_blocks": _(
        "{long_count} tasks of {long_ms} and then {short_count} of {short_ms}, in fixed blocks."
    ),
}
"""Cases near a plan in which splitting pays less than it promises."""

PLURAL_SENTENCES: dict[str, tuple[str, str]] = {}
"""Codes whose sentence depends on a whole number `count`: (one, many), marked with `_n`."""
