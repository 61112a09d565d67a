"""Data files of Cabida: catalogue, samples, icons, translations and help."""
