"""Widgets shared by the pages: fields, chips, figures, the answer strip, steps, problems, explanations."""
