"""The window of Cabida, in Qt widgets: it shows what `estimator` computes and computes nothing itself."""
