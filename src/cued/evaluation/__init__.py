"""Measuring recall: data sets, metrics, significance, the runner and its reports."""
