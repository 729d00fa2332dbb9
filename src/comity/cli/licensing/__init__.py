"""RSL documents for `comity usage`: fetch those that a site names, and show their terms and mistakes."""
