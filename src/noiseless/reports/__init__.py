"""Reports that people read: one self-contained HTML page an audit, release, frontier or board, and plots.

Each is imported when it is first used: a command that prints text loads no templates and no plots.
"""

from typing import TYPE_CHECKING

from noiseless.late_names import late_names

if TYPE_CHECKING:
    from noiseless.reports.audit_page import audit_html, write_audit_html
    from noiseless.reports.board_page import board_html
    from noiseless.reports.frontier_page import render_frontier, write_frontier_html
    from noiseless.reports.frontier_plot import save_plot
    from noiseless.reports.plots import bipartite_plot, contribution_plot, posterior_plot
    from noiseless.reports.release_page import render_release, write_release_html
    from noiseless.reports.tabulation_page import tabulation_html, write_tabulation_html
    from noiseless.reports.verification_page import verification_html
else:
    __getattr__ = late_names(
        __name__,
        {
            "audit_html": "audit_page",
            "bipartite_plot": "plots",
            "board_html": "board_page",
            "contribution_plot": "plots",
            "posterior_plot": "plots",
            "render_frontier": "frontier_page",
            "render_release": "release_page",
            "save_plot": "frontier_plot",
            "tabulation_html": "tabulation_page",
            "verification_html": "verification_page",
            "write_audit_html": "audit_page",
            "write_frontier_html": "frontier_page",
            "write_release_html": "release_page",
            "write_tabulation_html": "tabulation_page",
        },
    )

__all__ = [
    "audit_html",
    "bipartite_plot",
    "board_html",
    "contribution_plot",
    "posterior_plot",
    "render_frontier",
    "render_release",
    "save_plot",
    "tabulation_html",
    "verification_html",
    "write_audit_html",
    "write_frontier_html",
    "write_release_html",
    "write_tabulation_html",
]
