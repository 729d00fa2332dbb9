"""`pace.begin`, `pace.renew` and `pace.end` as Lua, for a Redis server to run in one piece.

The decisions are those of `pace.py`, number for number: the same steps on the same doubles in the
same order, with its constants, and tests hold them equal. A pace is a hash whose fields are those
of `Pace`, with numbers of 17 digits, which is what it takes to read the same number back. Redis
makes whole numbers of the numbers that a script returns, so they are returned as text.

Arguments of all: the key; the time, or "" for the server's clock; the holder. What comes next:
`BEGIN` takes gap, who asks for it, visit wait and lease seconds, and gives "turn", when it began and
its lease, or "wait", seconds and why. `RENEW` takes lease seconds. `END` takes the status, or "" for no
answer, and the seconds of a Retry-After, or "" for none.
"""

from ..pace import BACK_OFF, DAY, LONGEST_BACK_OFF, POLL, UNUSED

__all__ = ["BEGIN", "END", "RENEW"]

_SHARED = (
    f"""
local DAY, POLL, BACK_OFF, LONGEST = {DAY!r}, {POLL!r}, {BACK_OFF!r}, {LONGEST_BACK_OFF!r}
local UNUSED = {UNUSED!r}
"""
    + """
local FIELDS = {'ended', 'gap', 'not_before', 'told', 'failures', 'holder', 'lease'}
local key = KEYS[1]

local function text(number)
  return string.format('%.17g', number)
end

local function number(value)
  local found = tonumber(value)
  if found and found == found and found < math.huge and found > -math.huge then
    return found
  end
end

local now = number(ARGV[1])
if not now then
  local clock = redis.call('TIME')
  now = tonumber(clock[1]) + tonumber(clock[2]) / 1e6
end

-- One that was damaged counts as a request that ended now: doubt goes to the site.
local function restored()
  local kind = redis.call('TYPE', key).ok
  if kind == 'none' then
    return {gap = 0, told = false, failures = 0}
  end
  local pace, sound = {gap = 0, told = false, failures = 0, ended = now}, kind == 'hash'
  if sound then
    local found = {}
    for place, value in ipairs(redis.call('HMGET', key, unpack(FIELDS))) do
      found[FIELDS[place]] = value or nil
    end
    for _, name in ipairs({'ended', 'not_before', 'lease', 'gap', 'failures'}) do
      local value = number(found[name])
      sound = sound and (value or not found[name])
      found[name] = value
    end
    sound = sound and found.gap and found.gap >= 0 and found.failures and found.failures >= 0
      and found.failures % 1 == 0 and (found.told == '0' or found.told == '1')
      and (found.holder == nil) == (found.lease == nil)
    if sound then
      found.told = found.told == '1'
      pace = found
    end
  end
  return pace
end

local function believed(pace)
  if pace.ended and pace.ended > now + DAY then
    pace.ended = now
  end
  if pace.not_before and pace.not_before > now + 2 * DAY then
    pace.not_before = now
  end
  if pace.lease and pace.lease > now + 2 * DAY then
    pace.lease = now
  end
  if pace.lease and pace.lease <= now then
    pace.ended = math.max(pace.ended or pace.lease, pace.lease)
    pace.holder, pace.lease = nil, nil
  end
  return pace
end

local function keep(pace)
  local last = pace.ended or pace.lease or 0
  last = math.max(last, pace.lease or last) + pace.gap
  last = math.max(last, pace.not_before or 0)
  if pace.failures > 0 then
    last = last + LONGEST
  end
  redis.call('DEL', key)
  for _, name in ipairs({'ended', 'gap', 'not_before', 'failures', 'lease'}) do
    if pace[name] then
      redis.call('HSET', key, name, text(pace[name]))
    end
  end
  redis.call('HSET', key, 'told', pace.told and '1' or '0')
  if pace.holder then
    redis.call('HSET', key, 'holder', pace.holder)
  end
  -- A day more, for clocks that differ; the server itself forgets what binds nobody any more.
  local seconds = math.min(math.max(last - now, 0) + DAY, 1e9)
  redis.call('PEXPIRE', key, string.format('%.0f', seconds * 1000))
end

local pace, holder = restored(), ARGV[2]
"""
)

#: `pace.begin`.
BEGIN = (
    _SHARED
    + """
pace = believed(pace)
local gap, asker, visit_wait, lease_seconds = number(ARGV[3]), ARGV[4], number(ARGV[5]), number(ARGV[6])
local seconds, why = visit_wait, 'VISIT_TIME'
local function wait(needed, reason)
  if needed > seconds then
    seconds, why = needed, reason
  end
end
if pace.not_before then
  wait(pace.not_before - now, pace.told and 'RETRY_AFTER' or 'BACK_OFF')
end
if pace.ended then
  wait(pace.ended + gap - now, asker)
end
if pace.lease then
  wait(math.max(math.min(POLL, pace.lease - now), gap), 'BUSY')
end
if seconds > 0 then
  keep(pace)
  return {'wait', text(seconds), why}
end
pace.gap, pace.holder, pace.lease = gap, holder, now + math.min(lease_seconds, DAY)
keep(pace)
return {'turn', text(now), text(pace.lease)}
"""
)

#: `pace.renew`.
RENEW = (
    _SHARED
    + """
if pace.holder == holder then
  pace.lease = now + math.min(number(ARGV[3]), DAY)
  keep(pace)
end
return 'OK'
"""
)

#: `pace.end`.
END = (
    _SHARED
    + """
pace = believed(pace)
local status, retry_after = number(ARGV[3]), number(ARGV[4])
if pace.holder == holder then
  pace.holder, pace.lease = nil, nil
end
if status == UNUSED then
  keep(pace)
  return 'OK'
end
pace.ended = math.max(pace.ended or now, now)
local refused = status == nil or status == 429 or status == 503
local pause
local told = retry_after ~= nil and retry_after >= 0
if told then
  pause = math.min(retry_after, DAY)
elseif refused then
  pause = math.min(BACK_OFF * 2 ^ math.min(pace.failures, 16), LONGEST)
end
if refused then
  pace.failures = pace.failures + 1
elseif status >= 100 and status < 500 then
  pace.failures = 0
end
if pause and (pace.not_before == nil or now + pause > pace.not_before) then
  pace.not_before, pace.told = now + pause, told
end
keep(pace)
return 'OK'
"""
)
