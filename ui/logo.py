"""The issuer's logo: a picture file made small enough to travel in the quote, and back to a picture for paper."""

from __future__ import annotations

import base64
import binascii
from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice, QSize, Qt
from PySide6.QtGui import QImage, QImageReader

from estimator.problems import FileRefused

LARGEST_BYTES = 20 * 2**20
MOST_PIXELS = 40_000_000
BOX = QSize(480, 160)
"""Pixels that a logo keeps at most: 40 × 13 mm at 300 dots an inch."""


def logo_from_file(path: Path) -> str:
    """Return a picture as PNG in base 64, at most as large as `BOX`. Raises FileRefused with the cause."""
    try:
        if path.stat().st_size > LARGEST_BYTES:
            raise FileRefused("picture_too_large", name=path.name)
    except OSError as error:
        raise FileRefused("not_found", name=path.name) from error
    reader = QImageReader(str(path))
    reader.setAutoTransform(True)
    size = reader.size()
    if not size.isValid():
        raise FileRefused("not_a_picture", name=path.name)
    if size.width() * size.height() > MOST_PIXELS:
        raise FileRefused("picture_too_large", name=path.name)
    image = reader.read()
    if image.isNull():
        raise FileRefused("not_a_picture", name=path.name)
    if image.width() > BOX.width() or image.height() > BOX.height():
        image = image.scaled(
            BOX, Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation
        )
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]  # the stubs ask for bytes; Qt takes text
    return base64.b64encode(bytes(buffer.data().data())).decode("ascii")


def logo_image(logo: str) -> QImage | None:
    """Return the picture kept in a quote; None where there is none or a foreign file holds something else."""
    try:
        data = base64.b64decode(logo, validate=True)
    except (binascii.Error, ValueError):
        return None
    image = QImage.fromData(data) if data else QImage()
    too_large = image.width() > BOX.width() or image.height() > BOX.height()
    return None if image.isNull() or too_large else image
