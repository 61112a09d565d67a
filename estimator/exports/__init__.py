"""Faces on paper and in files: one module or package a format. They read an estimate and compute nothing."""
