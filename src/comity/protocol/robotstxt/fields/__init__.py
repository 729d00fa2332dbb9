"""Fields besides allow and disallow: rates, Clean-param, ACAP."""
