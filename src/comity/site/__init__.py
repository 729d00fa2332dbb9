"""WRITE: check, change, compare and build a site's robots.txt before it is published.

    lint               the mistakes as Findings: a Finding each, perhaps with a Fix of Edits; Settings select
                       the rules
    baseline_of        the Baseline of a file, whose findings lint does not report again; format_baselines
                       and parse_baselines store those of several files
    tidy               the canonical layout
    diff, equivalent   compare by meaning: a Diff with a Change for robots that are affected alike, each
                       with its PathChanges and FieldChanges
    minimize           Minimized, without the rules that change no answer
    unreachable_rules  each UnreachableRule, which can never win
    site_change        the SiteChange between two answers of a live site, with each ChangeReason
    build, build_hosts  a file Built from a plan and fragments, one for each host, with Notes for the owners
    matrix             a Matrix, robots against paths: its MatrixRow, MatrixRobot, MatrixColumn, MatrixCell
                       and MatrixTotal

`comity.site.serve` puts the result in front of a web application. Each name is imported when it is first
used.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .access_matrix.matrix import matrix
    from .access_matrix.result import Matrix
    from .access_matrix.values import (
        MatrixCell,
        MatrixColumn,
        MatrixRobot,
        MatrixRow,
        MatrixTotal,
    )
    from .assembly.build import Built, build, build_hosts
    from .assembly.group import Note
    from .compare.change import Change, Diff
    from .compare.diff import diff, equivalent
    from .compare.field_change import FieldChange
    from .compare.minimize import Minimized, minimize
    from .compare.path_change import PathChange
    from .compare.unreachable_rules import UnreachableRule, unreachable_rules
    from .formatting.layout import tidy
    from .linter.baseline import Baseline, format_baselines, parse_baselines
    from .linter.finding import Finding, Findings
    from .linter.lint_settings import Settings
    from .linter.linting import baseline_of, lint
    from .linter.rules.problem import Edit, Fix
    from .watch.site_change import ChangeReason, SiteChange, site_change

__all__ = [
    "Baseline",
    "Built",
    "Change",
    "ChangeReason",
    "Diff",
    "Edit",
    "FieldChange",
    "Finding",
    "Findings",
    "Fix",
    "Matrix",
    "MatrixCell",
    "MatrixColumn",
    "MatrixRobot",
    "MatrixRow",
    "MatrixTotal",
    "Minimized",
    "Note",
    "PathChange",
    "Settings",
    "SiteChange",
    "UnreachableRule",
    "baseline_of",
    "build",
    "build_hosts",
    "diff",
    "equivalent",
    "format_baselines",
    "lint",
    "matrix",
    "minimize",
    "parse_baselines",
    "site_change",
    "tidy",
    "unreachable_rules",
]

if not TYPE_CHECKING:
    from .._lazy import lazy

    _MODULES = {
        "Baseline": ".linter.baseline",
        "Built": ".assembly.build",
        "Change": ".compare.change",
        "ChangeReason": ".watch.site_change",
        "Diff": ".compare.change",
        "Edit": ".linter.rules.problem",
        "FieldChange": ".compare.field_change",
        "Finding": ".linter.finding",
        "Findings": ".linter.finding",
        "Fix": ".linter.rules.problem",
        "Matrix": ".access_matrix.result",
        "MatrixCell": ".access_matrix.values",
        "MatrixColumn": ".access_matrix.values",
        "MatrixRobot": ".access_matrix.values",
        "MatrixRow": ".access_matrix.values",
        "MatrixTotal": ".access_matrix.values",
        "Minimized": ".compare.minimize",
        "Note": ".assembly.group",
        "PathChange": ".compare.path_change",
        "Settings": ".linter.lint_settings",
        "SiteChange": ".watch.site_change",
        "UnreachableRule": ".compare.unreachable_rules",
        "baseline_of": ".linter.linting",
        "build": ".assembly.build",
        "build_hosts": ".assembly.build",
        "diff": ".compare.diff",
        "equivalent": ".compare.diff",
        "format_baselines": ".linter.baseline",
        "lint": ".linter.linting",
        "matrix": ".access_matrix.matrix",
        "minimize": ".compare.minimize",
        "parse_baselines": ".linter.baseline",
        "site_change": ".watch.site_change",
        "tidy": ".formatting.layout",
        "unreachable_rules": ".compare.unreachable_rules",
    }
    __getattr__, __dir__ = lazy(__name__, __all__, _MODULES)
    del lazy


del TYPE_CHECKING
