"""A time window begins and ends in the same minute.

Why: A robot that obeys it may come for one minute a day. Perhaps all day was meant, which needs no window.

Example:
    User-agent: *
    Visit-time: 0600-0600
Instead:
    User-agent: *
    Visit-time: 0600-0845
Engines: The few robots that read Visit-time and Request-rate.
Source: The extended standard of 1996 (Sean Conner), Visit-time.
"""
