"""Bounded reading of a config.json: size, depth, kinds and ranges are checked before a number is believed.

Every field that is used is remembered as given or derived; every missing one is named at once. What the fields
mean for a family is in `families` and the readers.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from estimator.architecture.model import FieldReading
from estimator.evidence import EvidenceKind
from estimator.problems import FileRefused, Problem, Severity

MAX_BYTES = 2 * 2**20
MAX_LAYERS = 2_000
MAX_EXPERTS = 100_000
MAX_SIZE = 2**27

# The names that older formats gave to the same thing, in the order in which they are looked up.
OLDER_NAMES: dict[str, tuple[str, ...]] = {
    "hidden_size": ("n_embd", "n_embed", "d_model"),
    "num_hidden_layers": ("n_layer", "n_layers", "num_layers"),
    "num_attention_heads": ("n_head", "n_heads", "num_heads"),
    "num_key_value_heads": ("num_kv_heads", "n_head_kv"),
    "intermediate_size": ("n_inner", "ffn_dim", "ffn_hidden_size"),
    "max_position_embeddings": ("n_positions", "n_ctx", "seq_length"),
    "num_experts": ("num_local_experts", "n_routed_experts"),
}


def config_object(content: bytes | str) -> dict[str, object]:
    """Return the object in a config.json. Raises FileRefused: too large, not JSON, or no object."""
    if len(content) > MAX_BYTES:
        raise FileRefused("config_too_large", limit=MAX_BYTES)
    try:
        text = content.decode("utf-8-sig") if isinstance(content, bytes) else content
        found = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise FileRefused("config_not_json") from error
    if not isinstance(found, dict):
        raise FileRefused("config_not_an_object")
    return found


def _refuse_constant(name: str) -> object:
    raise ValueError(name)


class Fields:
    """The fields of one config, read one by one.

    A required field that is missing or wrong is noted and 1 (or "") is returned in its place, so that reading
    goes on and all of them are named together; nothing is built from a reading that noted an error.
    """

    def __init__(self, config: Mapping[str, object], where: tuple[str, ...] = ()) -> None:
        self._config = dict(config)
        self._filled: dict[str, str] = {}
        self._where = where
        self.problems: list[Problem] = []
        self.readings: list[FieldReading] = []

    def inner(self, name: str) -> Fields | None:
        """Return the fields of a nested object, noting into the same lists; None where there is none."""
        nested = self._config.get(name)
        if not isinstance(nested, Mapping):
            return None
        fields = Fields(nested, (*self._where, name))
        fields.problems, fields.readings = self.problems, self.readings
        return fields

    def stated(self, name: str) -> bool:
        """Return whether the file gives the field a value (null is none), under this or an older name."""
        return self._raw(name)[1] is not None

    def listed(self, name: str) -> bool:
        """Return whether the file names the field at all, be it with null."""
        return any(key in self._config for key in (name, *OLDER_NAMES.get(name, ())))

    def size(self, name: str, limit: int = MAX_SIZE) -> int:
        """Return a required size, 1 to `limit`."""
        key, value = self._raw(name)
        if value is None:
            self.note("config_field_missing", name, Severity.MISSING)
            return 1
        return self._checked(key, value, 1, limit)

    def size_or(self, name: str, absent: int, rule: str, limit: int = MAX_SIZE, least: int = 1) -> int:
        """Return a size, or `absent` (derived by `rule`) where the file does not give it."""
        key, value = self._raw(name)
        if value is None:
            self.derived(name, absent, rule)
            return absent
        return self._checked(key, value, least, limit)

    def optional(self, name: str, limit: int = MAX_SIZE, least: int = 1) -> int | None:
        """Return a size, or None where the file does not give it; nothing is noted as derived."""
        key, value = self._raw(name)
        return None if value is None else self._checked(key, value, least, limit)

    def flag(self, name: str, absent: bool, rule: str = "format_default") -> bool:
        """Return a yes or no, or `absent` (derived) where the file does not give it."""
        key, value = self._raw(name)
        if value is None:
            self.derived(name, absent, rule)
            return absent
        if not isinstance(value, bool):
            self.note("config_field_not_a_flag", key)
            return absent
        self.readings.append(FieldReading(self._path(key), value, EvidenceKind.GIVEN))
        return value

    def text(self, name: str) -> str:
        """Return a short text, or "" where there is none."""
        value = self._config.get(name)
        return value[:200] if isinstance(value, str) else ""

    def items(self, name: str, limit: int) -> tuple[object, ...] | None:
        """Return a list of at most `limit` items, or None where the file gives none."""
        value = self._config.get(name)
        if value is None:
            return None
        if not isinstance(value, Sequence) or isinstance(value, str) or len(value) > limit:
            self.note("config_field_not_a_list", name)
            return None
        if not all(item is None or isinstance(item, str | int | float) for item in value):
            self.note("config_field_not_a_list", name)
            return None
        self.readings.append(FieldReading(self._path(name), tuple(value), EvidenceKind.GIVEN))
        return tuple(value)

    def number(self, name: str) -> float | None:
        """Return any finite number, or None."""
        value = self._config.get(name)
        if not isinstance(value, int | float) or isinstance(value, bool) or not -(10**15) < value < 10**15:
            return None
        return float(value)

    def raw(self, name: str) -> object:
        """Return the value as the file has it."""
        return self._config.get(name)

    def derived(self, name: str, value: object, rule: str) -> None:
        """Remember what the absence of a field means."""
        self.readings.append(FieldReading(self._path(name), value, EvidenceKind.DERIVED, rule))

    def fill(self, name: str, value: int, rule: str) -> None:
        """Give a field that the file leaves out the value that its format writes by leaving it out."""
        self._config[name] = value
        self._filled[name] = rule

    def note(self, code: str, name: str, severity: Severity = Severity.ERROR, **values: object) -> None:
        """Note what is wrong with a field."""
        place = ("config", *self._where, name)
        self.problems.append(Problem(code, place, severity, (("field", self._path(name)), *values.items())))

    def contradict(self, code: str, name: str, severity: Severity = Severity.ERROR, **values: object) -> None:
        """Note that fields do not go together; not where one of them may be a placeholder."""
        if self.is_sound:
            self.note(code, name, severity, **values)

    @property
    def is_sound(self) -> bool:
        """Whether nothing was noted that forbids a number."""
        return all(problem.severity is Severity.WARNING for problem in self.problems)

    def _raw(self, name: str) -> tuple[str, object]:
        for key in (name, *OLDER_NAMES.get(name, ())):
            if self._config.get(key) is not None:
                return key, self._config[key]
        return name, None

    def _checked(self, key: str, value: object, least: int, limit: int) -> int:
        if not isinstance(value, int) or isinstance(value, bool):
            self.note("config_field_not_a_number", key)
            return 1
        if not least <= value <= limit:
            self.note("config_field_out_of_range", key, least=least, limit=limit)
            return 1
        if key in self._filled:
            self.derived(key, value, self._filled[key])
        else:
            self.readings.append(FieldReading(self._path(key), value, EvidenceKind.GIVEN))
        return value

    def _path(self, name: str) -> str:
        return ".".join((*self._where, name))
