"""Weights of a small cross-encoder for product search: the folder of this file, for `rerank_cross_encoder`."""
