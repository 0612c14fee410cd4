"""Measurements against a floor and against peers, printed as ratios: `make bench`."""
