"""The fields other than allow and disallow: rates, Clean-param, ACAP, and preferences for uses."""
