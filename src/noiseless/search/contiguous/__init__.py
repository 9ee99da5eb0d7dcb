"""One ordered public column: sweeps along its line, the exact optimum with contiguous cells, and bounds."""
