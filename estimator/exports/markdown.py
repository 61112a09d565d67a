"""The printed quote as Markdown: the same sections and figures, as text that any editor reads."""

from __future__ import annotations

import re

from estimator.exports.paper import Cells, Gantt, Paper

_MARKS = re.compile(r"([\\`*_{}\[\]<>#|~])")


def markdown_text(paper: Paper) -> str:
    """Return the document as Markdown with pipe tables, ended by a line break. User text cannot become markup."""
    parts = [f"# {_plain(paper.title)}"]
    if paper.subtitle:
        parts.append(f"**{_plain(paper.subtitle)}**")
    parts.append("  \n".join(_plain(one) for one in (*paper.meta, paper.standing)))
    parts.append("\n".join(f"- {_plain(label)}: {_plain(text)}" for label, text in paper.facts))
    answer_rows = tuple((title, f"{one.figure} {one.unit}".strip(), one.line) for title, one in paper.answers)
    parts.append(_table(Cells(("", "", ""), answer_rows, frozenset({1}))))
    for section in paper.sections:
        parts.append(f"## {_plain(section.title)}")
        for block in section.blocks:
            if isinstance(block, str):
                parts.append(_plain(block))
            else:
                parts.append(_table(block.otherwise if isinstance(block, Gantt) else block))
    parts += [_plain(text) for text in (paper.notes, paper.closing) if text]
    return "\n\n".join(parts) + "\n"


def _table(cells: Cells) -> str:
    lines = [_row(cells.heads)]
    lines.append(
        "|" + "|".join("---:" if at in cells.right else "---" for at in range(len(cells.heads))) + "|"
    )
    for at, row in enumerate(cells.rows):
        strong = at in cells.strong
        lines.append(_row(tuple(row), strong))
    return "\n".join(lines)


def _row(texts: tuple[str, ...], strong: bool = False) -> str:
    made = [_plain(text) for text in texts]
    if strong:
        made = [f"**{text}**" if text else "" for text in made]
    return "| " + " | ".join(made) + " |"


def _plain(text: str) -> str:
    return _MARKS.sub(r"\\\1", " ".join(text.split()))
