"""Reports that people read: one self-contained HTML page an audit, and its plots.

Plotting is imported when a plot is made, so that importing this package stays fast.
"""

from noiseless.reports.html import audit_html, write_audit_html
from noiseless.reports.plots import bipartite_plot, contribution_plot, posterior_plot

__all__ = [
    "audit_html",
    "bipartite_plot",
    "contribution_plot",
    "posterior_plot",
    "write_audit_html",
]
