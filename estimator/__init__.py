"""The compute core of Cabida: from a quote to an estimate, without a window. Imports no Qt."""
