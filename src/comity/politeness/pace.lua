-- The functions of pace.py for a Redis server, which runs a script as one atomic step.
--
-- Both files make the same decisions with the same numbers; tests compare them. A pace is a hash with the
-- fields of `Pace`. Numbers are stored with 17 digits, so that the same number is read again. Redis truncates
-- numbers that a script returns, so they are returned as text.
--
--   KEYS[1]  the key of the pace
--   KEYS[2]  the key of an answer to robots.txt, for two of the steps
--   ARGV[1]  the step
--   ARGV[2]  the holder
--   ARGV[3]  the time ("-" for the server's clock), and the arguments of the step, separated by spaces:
--     acquire  gap, reason for the gap, visit wait, slow_down, lease seconds
--              returns "lease START END" and the end of the last request if there is one,
--              "wait SECONDS REASON", or "wait SECONDS BUSY HOLDER"
--     load_or_acquire   as acquire, and the maximum length of an answer
--              returns {the answer} if there is one, otherwise as acquire
--     wait     gap, reason for the gap, visit wait, slow_down
--              returns "none" or "wait SECONDS REASON"
--     visits   returns the number
--     renew    lease seconds
--     release  status ("-" for no answer), seconds of a Retry-After ("-" for none), seconds since the end, response
--              time ("-" for none)
--     save_and_release  as release, and the seconds for which the answer is stored
--   ARGV[4]  the answer that save_and_release stores

local DAY, POLL, BACK_OFF, LONGEST_BACK_OFF, DOUBLINGS = 86400, 0.1, 30, 3600, 16
-- Lifetime of a count of visits in seconds, as in entry.py.
local LIFETIME = 30 * DAY
local UNUSED = -1
local AHEAD = 10
local ERROR_BACK_OFF, LONGEST_SLOW_DOWN = 5, 60
local BACK_OFF_STATUSES = {[429] = true, [503] = true}
local REQUEST_ERRORS = {[501] = true, [505] = true}
local FIELDS = {'ended', 'gap', 'not_before', 'from_server', 'failures', 'holder', 'lease_expires', 'visits',
  'response_time'}

local key, step, holder = KEYS[1], ARGV[1], ARGV[2]
local words = {}
for word in string.gmatch(ARGV[3], '%S+') do
  words[#words + 1] = word
end

local function text(number)
  return string.format('%.17g', number)
end

-- Return a finite number, or nil.
local function number(value)
  local found = tonumber(value)
  if found and found == found and found < math.huge and found > -math.huge then
    return found
  end
end

local now = number(words[1])
local is_own_clock = not now
if is_own_clock then
  local clock = redis.call('TIME')
  now = tonumber(clock[1]) + tonumber(clock[2]) / 1e6
end

-- Read the pace. A damaged one counts as a request that ended now, so that no gap becomes shorter.
local function load()
  local kind = redis.call('TYPE', key).ok
  if kind == 'none' then
    return {gap = 0, from_server = false, failures = 0, visits = 0, response_time = 0}
  end
  local damaged = {gap = 0, from_server = false, failures = 0, visits = 0, response_time = 0, ended = now}
  if kind ~= 'hash' then
    return damaged
  end
  local pace = {}
  for place, value in ipairs(redis.call('HMGET', key, unpack(FIELDS))) do
    pace[FIELDS[place]] = value or nil
  end
  for _, name in ipairs({'ended', 'not_before', 'lease_expires', 'gap', 'failures', 'visits', 'response_time'}) do
    local value = number(pace[name])
    if pace[name] and not value then
      return damaged
    end
    pace[name] = value
  end
  local valid = pace.gap and pace.gap >= 0 and pace.failures and pace.failures >= 0
    and pace.failures % 1 == 0 and (pace.from_server == '0' or pace.from_server == '1')
    and (pace.holder == nil) == (pace.lease_expires == nil)
    and pace.visits and pace.visits >= 0 and pace.visits % 1 == 0
    and pace.response_time and pace.response_time >= 0
  if not valid then
    return damaged
  end
  pace.from_server = pace.from_server == '1'
  return pace
end

-- `_plausible`: no times that cannot be right, no expired lease.
local function plausible(pace)
  if pace.ended and pace.ended > now + DAY then
    pace.ended = now
  end
  if pace.not_before and pace.not_before > now + 2 * DAY then
    pace.not_before = now
  end
  if pace.lease_expires and pace.lease_expires > now + 2 * DAY then
    pace.lease_expires = now
  end
  if pace.lease_expires and pace.lease_expires <= now then
    pace.ended = math.max(pace.ended or pace.lease_expires, pace.lease_expires)
    pace.holder, pace.lease_expires = nil, nil
  end
  return pace
end

-- `after_set_back`: the times by a clock of the server that was set back.
local function after_set_back(pace)
  if is_own_clock and pace.ended and pace.ended > now + AHEAD then
    local ahead = pace.ended - now
    pace.ended = now
    pace.not_before = pace.not_before and pace.not_before - ahead
    pace.lease_expires = pace.lease_expires and pace.lease_expires - ahead
  end
  return pace
end

local function save(pace)
  local last = pace.ended or pace.lease_expires or 0
  local gap = pace.response_time > 0 and math.max(pace.gap, LONGEST_SLOW_DOWN) or pace.gap
  last = math.max(last, pace.lease_expires or last) + gap
  last = math.max(last, pace.not_before or 0)
  if pace.failures > 0 then
    last = last + LONGEST_BACK_OFF
  end
  redis.call('DEL', key)
  for _, name in ipairs({'ended', 'gap', 'not_before', 'failures', 'lease_expires', 'visits', 'response_time'}) do
    if pace[name] then
      redis.call('HSET', key, name, text(pace[name]))
    end
  end
  redis.call('HSET', key, 'from_server', pace.from_server and '1' or '0')
  if pace.holder then
    redis.call('HSET', key, 'holder', pace.holder)
  end
  -- A day longer than needed, because clocks differ. Then the server deletes it.
  local seconds = math.min(math.max(last - now, 0) + DAY, 1e9)
  if pace.visits > 0 then
    seconds = math.max(seconds, LIFETIME)
  end
  redis.call('PEXPIRE', key, string.format('%.0f', seconds * 1000))
end

-- Return the seconds that a request would have to wait, 0 or less for none, and the reason.
local function wait_of(pace, gap, gap_reason, visit_wait)
  local seconds, reason = visit_wait, 'VISIT_TIME'
  local function wait(needed, why)
    if needed > seconds then
      seconds, reason = needed, why
    end
  end
  if pace.not_before then
    wait(pace.not_before - now, pace.from_server and 'RETRY_AFTER' or 'BACK_OFF')
  end
  if pace.ended then
    wait(pace.ended + gap - now, gap_reason)
  end
  if pace.lease_expires then
    wait(math.max(math.min(POLL, pace.lease_expires - now), gap), 'BUSY')
  end
  return seconds, reason
end

-- `required_gap`: the gap before the next request, and its reason.
local function gap_of(pace, gap, gap_reason, slow_down)
  local slow = math.min(slow_down * pace.response_time, LONGEST_SLOW_DOWN)
  if slow > gap then
    return slow, 'SLOW_DOWN'
  end
  return gap, gap_reason
end

local function wait(gap, gap_reason, visit_wait, slow_down)
  local pace = plausible(after_set_back(load()))
  gap, gap_reason = gap_of(pace, gap, gap_reason, slow_down)
  local seconds, reason = wait_of(pace, gap, gap_reason, visit_wait)
  if seconds > 0 then
    return 'wait ' .. text(seconds) .. ' ' .. reason
  end
  return 'none'
end

local function acquire(gap, gap_reason, visit_wait, slow_down, lease_seconds)
  local pace = plausible(after_set_back(load()))
  gap, gap_reason = gap_of(pace, gap, gap_reason, slow_down)
  local seconds, reason = wait_of(pace, gap, gap_reason, visit_wait)
  if seconds > 0 then
    save(pace)
    local held = reason == 'BUSY' and pace.holder and ' ' .. pace.holder or ''
    return 'wait ' .. text(seconds) .. ' ' .. reason .. held
  end
  pace.gap, pace.holder, pace.lease_expires = gap, holder, now + math.min(lease_seconds, DAY)
  save(pace)
  return 'lease ' .. text(now) .. ' ' .. text(pace.lease_expires) .. (pace.ended and ' ' .. text(pace.ended) or '')
end

local function renew(lease_seconds)
  local pace = load()
  if pace.holder == holder then
    pace.lease_expires = now + math.min(lease_seconds, DAY)
    save(pace)
  end
  return 'OK'
end

local function release(status, retry_after, ago, response_time)
  now = now - ago
  local pace = plausible(load())
  if pace.holder == holder then
    pace.holder, pace.lease_expires = nil, nil
  end
  if status == UNUSED then
    save(pace)
    return 'OK'
  end
  pace.visits = pace.visits + 1
  pace.ended = math.max(pace.ended or now, now)
  local refused = status == nil or BACK_OFF_STATUSES[status]
  local failed = refused or (status >= 500 and status < 600 and not REQUEST_ERRORS[status])
  if failed then
    pace.failures = pace.failures + 1
  elseif status >= 100 and status < 500 then
    pace.failures = 0
  end
  local own, pause, from_server = 0, nil, false
  if failed then
    local first = refused and BACK_OFF or ERROR_BACK_OFF
    own = math.min(first * 2 ^ math.min(pace.failures - 1, DOUBLINGS), LONGEST_BACK_OFF)
  end
  if retry_after and retry_after >= 0 and (pace.failures < 2 or retry_after >= own) then
    pause, from_server = math.min(retry_after, DAY), true
  elseif failed then
    pause = own
  end
  if pause and (pace.not_before == nil or now + pause > pace.not_before) then
    pace.not_before, pace.from_server = now + pause, from_server
  end
  if response_time and response_time >= 0 then
    if response_time >= pace.response_time then
      pace.response_time = math.min(response_time, DAY)
    elseif not failed then
      pace.response_time = (pace.response_time + response_time) / 2
    end
  end
  save(pace)
  return 'OK'
end

-- Return the stored answer, or nil. A key of another type has no answer.
local function answer(longest)
  local found = redis.pcall('GETRANGE', KEYS[2], 0, longest)
  return type(found) == 'string' and found ~= '' and found or nil
end

if step == 'load_or_acquire' then
  local found = answer(number(words[7]))
  if found then
    return {found}
  end
end
if step == 'acquire' or step == 'load_or_acquire' then
  return acquire(number(words[2]), words[3], number(words[4]), number(words[5]), number(words[6]))
elseif step == 'wait' then
  return wait(number(words[2]), words[3], number(words[4]), number(words[5]))
elseif step == 'visits' then
  return text(load().visits)
elseif step == 'renew' then
  return renew(number(words[2]))
elseif step == 'save_and_release' then
  redis.call('SET', KEYS[2], ARGV[4], 'EX', words[6])
end
return release(number(words[2]), number(words[3]), number(words[4]) or 0, number(words[5]))
