"""A time window begins and ends in the same minute.

Why: A robot that obeys the window may come during one minute a day. If the whole day was intended, no window
is needed.

Example:
    User-agent: *
    Disallow: /search
    Visit-time: 0600-0600
Instead:
    User-agent: *
    Disallow: /search
    Visit-time: 0600-0845
Engines: The few robots that read Visit-time and Request-rate.
Source: The extended standard of 1996 (Sean Conner), Visit-time.
"""
