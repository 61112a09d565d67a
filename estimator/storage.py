"""Quotes on disk: `.cabida` files read within bounds and saved atomically.

A file is one JSON object in a stable order, `format` first. A newer format is refused in a sentence, a broken
file names its place, and neither is ever opened as an empty quote.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from estimator.migrations import FORMAT, migrated
from estimator.problems import FileRefused
from estimator.quote import Quote

SUFFIX = ".cabida"
LARGEST_BYTES = 64 * 2**20


def read_quote(path: Path) -> Quote:
    """Return the quote in a file. Raises FileRefused with the place of what is wrong."""
    return quote_from_text(read_text(path))


def quote_from_text(text: str) -> Quote:
    """Return the quote that a file's text holds. Raises FileRefused."""
    document = migrated(json_object(text))
    if document.get("kind") != "cabida-quote":
        raise FileRefused("not_a_quote")
    quote = document.get("quote")
    if not isinstance(quote, dict):
        raise FileRefused("quote_missing")
    try:
        return Quote.model_validate_json(json.dumps(quote))
    except ValidationError as error:
        first = error.errors()[0]
        place = " › ".join(str(part) for part in first["loc"])
        raise FileRefused("broken_at", place=place or "quote", reason=first["type"]) from error


def quote_to_text(quote: Quote) -> str:
    """Return the file's text: stable order, decimals as text, one trailing newline."""
    document = {
        "format": FORMAT,
        "kind": "cabida-quote",
        "quote": quote.model_dump(mode="json", exclude_defaults=False),
    }
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def save_quote(quote: Quote, path: Path) -> None:
    """Write the quote to `path`, whole or not at all. Raises FileRefused naming the cause."""
    write_atomically(path, quote_to_text(quote).encode("utf-8"))


def read_text(path: Path, largest: int = LARGEST_BYTES) -> str:
    """Return a file's text, UTF-8 with or without a mark. Raises FileRefused."""
    try:
        with path.open("rb") as file:
            data = file.read(largest + 1)
    except OSError as error:
        raise FileRefused(_cause(error), name=path.name) from error
    if len(data) > largest:
        raise FileRefused("file_too_large", name=path.name, largest_mib=largest // 2**20)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileRefused("not_text", name=path.name, at=error.start) from error


def json_object(text: str) -> dict[str, Any]:
    """Return the JSON object in `text`. Raises FileRefused with line and column where it is broken."""
    try:
        value = json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise FileRefused("broken_json", line=error.lineno, column=error.colno) from error
    except RecursionError as error:
        raise FileRefused("nested_too_deep") from error
    except ValueError as error:
        raise FileRefused("broken_number") from error
    if not isinstance(value, dict):
        raise FileRefused("not_a_quote")
    return value


def _refuse_constant(name: str) -> None:
    raise ValueError(name)


def write_atomically(path: Path, data: bytes) -> None:
    """Write `data` to `path`: a temporary file in the same folder, flushed, synced, then put in its place.

    The old file stays whole until the new one is; no temporary file is left. Raises FileRefused naming the cause.
    """
    write_with(path, lambda temporary: temporary.write_bytes(data))


def write_with(path: Path, write: Callable[[Path], object]) -> None:
    """Let `write` fill a temporary file beside `path`, then put it in its place. Raises FileRefused."""
    target = path.resolve() if path.is_symlink() else path
    temporary: Path | None = None
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=".cabida-", suffix=".part")
        os.close(handle)
        temporary = Path(name)
        write(temporary)
        _sync(temporary)
        if target.exists():
            if not os.access(target, os.W_OK):
                raise PermissionError(errno.EACCES, "read-only", str(target))
            temporary.chmod(target.stat().st_mode & 0o777)
        else:
            temporary.chmod(0o666 & ~_umask())
        os.replace(temporary, target)
        temporary = None
        _sync_folder(target.parent)
    except OSError as error:
        raise FileRefused(_cause(error), name=path.name, folder=str(path.parent)) from error
    finally:
        if temporary is not None:
            with contextlib.suppress(OSError):
                temporary.unlink()


def _sync(path: Path) -> None:
    with path.open("rb+") as file:
        file.flush()
        os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    """Make the new name durable, where the system lets a folder be opened (not on Windows)."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


_CAUSES = {
    errno.ENOSPC: "disk_full",
    errno.EDQUOT: "disk_full",
    errno.EFBIG: "disk_full",
    errno.EROFS: "folder_read_only",
    errno.EACCES: "no_permission",
    errno.EPERM: "no_permission",
    errno.ENOENT: "not_found",
    errno.EISDIR: "is_a_folder",
    errno.ENAMETOOLONG: "name_too_long",
}


def _cause(error: OSError) -> str:
    return _CAUSES.get(error.errno or 0, "cannot_access")
