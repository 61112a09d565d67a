"""The Gantt chart: a frozen model, pure view state, one painter for screen and files, and a widget.

It draws what it is handed. It computes no schedule, opens no quote and formats no number by itself.
"""
