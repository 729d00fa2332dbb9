"""What may be done with what was fetched: Content-Usage, Content-Signal, TDMRep, ai.txt and ACAP."""
