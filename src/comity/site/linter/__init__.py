"""The linter: one module for each rule, whose docstring is its documentation.

linting     a body -> findings; this is `comity.lint`
baseline    known findings, which are not reported again
fixing      a body -> the body with its fixes
settings    selected rules, and the severity of their findings
rules/      the rules, in the order of their codes
"""
