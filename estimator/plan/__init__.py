"""Where a quote becomes the engines' inputs and their outputs become results."""
