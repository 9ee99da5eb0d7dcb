"""Reading what people have: crosstabs, CSV and Excel files, hierarchies, records, ACRO's results."""

from noiseless.tabulations.reading.request import TabulationRequest, read_request

__all__ = ["TabulationRequest", "read_request"]
