"""The linter: rules, each with its documentation, and what is done with their findings.

linting     a body -> findings; this is `comity.lint`
baseline    known findings, which are not reported again
fixing      a body -> the body with its fixes
settings    selected rules, and the severity of their findings
rules/      the rules, a module for each family
"""
