"""The linter: one file per rule, whose docstring is its documentation.

linting     a body -> findings, which is `comity.lint`
fixing      a body -> the body with its fixes
settings    which rules are asked, and how severe their findings are
rules/      the rules, in the order of their codes
"""
