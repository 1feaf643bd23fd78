"""Compound files, in which Office kept its documents until 2007."""
