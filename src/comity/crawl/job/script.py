"""The steps of a `RedisJob` as Lua, each of which a Redis server runs in one piece.

A job is these keys, each under its prefix. Pages are known by number.

    fact, mine:WORKER   hashes of JSON        what was written down, of the job and by a worker
    hosts               set                   where the crawl began
    number              hash URL -> number    each page that was ever wanted
    page                hash number -> JSON   [url, origin, depth, kind, start, hops]
    wanted:ORIGIN       sorted set            the numbers of what is wanted, by depth and number
    tries, forced       hash, set             of numbers
    under_way           hash origin -> text   "number holder"
    due                 sorted set            origins that have anything wanted or under way, by when to look
    left                hash origin -> JSON   [until, why]
    failures            hash origin -> count
    result              hash number -> JSON   [outcome, status, ..., time]
    done                hash number -> holder by whom
    outcome, octets     hash, count
    name                hash name -> number   "/" for a folder
    omission, omitted   hashes                what was not followed, and how many by reason
    worker              sorted set            who works on it, by when they are taken for gone

Each script takes the prefix as its key and one JSON object, `arg`, and may be run twice for one answer, since
that may be lost. The time is the server's, unless `arg` has another. If the job is not the one of `arg.id`,
that is an error: the server has lost it.
"""

from .interface import LEASE, OMISSIONS

__all__ = [
    "ADD",
    "BEGIN",
    "CREATE",
    "DEFER",
    "DUE",
    "FINISH",
    "FULL",
    "LEAVE",
    "OPEN",
    "POSTPONE",
    "RENEW",
    "RESERVE",
]

_SHARED = (
    f"local LEASE, OMISSIONS = {LEASE!r}, {OMISSIONS}\n"
    + """
-- A page is before all others that are a link further from the start, and of those as far in order.
local FURTHER = 2 ^ 32
local prefix, arg = KEYS[1], cjson.decode(ARGV[1])
local now = arg.now
if not now then
  local clock = redis.call('TIME')
  now = tonumber(clock[1]) + tonumber(clock[2]) / 1e6
end

local function key(name)
  return prefix .. name
end

if arg.id and redis.call('HGET', key('fact'), 'id') ~= arg.id then
  return redis.error_reply('LOST the job')
end

local function look(origin, at)
  redis.call('ZADD', key('due'), at, origin)
end

local function is_wanted(origin, number)
  return redis.call('ZSCORE', key('wanted:' .. origin), number)
end

local function want(number, page)
  redis.call('ZADD', key('wanted:' .. page[2]), page[3] * FURTHER + number, number)
end

local function add(pages)
  for _, page in ipairs(pages) do
    local url, origin, depth, kind = page[1], page[2], page[3], page[4]
    local number = redis.call('HGET', key('number'), url)
    if not number then
      number = redis.call('INCR', key('last'))
      redis.call('HSET', key('number'), url, number)
      redis.call('HSET', key('page'), number, cjson.encode(page))
      redis.call('HINCRBY', key('outcome'), 'wanted', 1)
      want(number, page)
      if redis.call('HEXISTS', key('left'), origin) == 0 then
        redis.call('ZADD', key('due'), 'NX', now, origin)
      end
    elseif is_wanted(origin, number) then
      -- What is wanted counts by the shortest way there, and what is linked is a page.
      local known = cjson.decode(redis.call('HGET', key('page'), number))
      local shorter, linked = depth < known[3], kind == 'page' and known[4] == 'part'
      if shorter or linked then
        known[3] = shorter and depth or known[3]
        known[4] = linked and kind or known[4]
        redis.call('HSET', key('page'), number, cjson.encode(known))
        want(number, known)
      end
    end
  end
end

local function omit(links)
  for _, one in ipairs(links) do
    local reason, what = one[2], cjson.encode({one[1], one[2]})
    local count = tonumber(redis.call('HGET', key('omitted'), reason) or 0)
    local is_new = true
    if count < OMISSIONS then
      is_new = redis.call('HSETNX', key('omission'), what, cjson.encode(one)) == 1
    end
    if is_new then
      redis.call('HINCRBY', key('omitted'), reason, 1)
    end
  end
end

local function tell(name, facts)
  for fact, value in pairs(facts) do
    redis.call('HSET', key(name), fact, value)
  end
end

local function began_at(hosts)
  for _, host in ipairs(hosts) do
    redis.call('SADD', key('hosts'), host)
  end
end

-- Somebody may have what a worker took, and was too slow with.
local function has(origin, number, holder)
  return redis.call('HGET', key('under_way'), origin) == number .. ' ' .. holder
end

-- Want again what was under way, of which nobody says what became.
local function take_back(origin)
  local found = redis.call('HGET', key('under_way'), origin)
  if found then
    local number = string.match(found, '^%d+')
    want(tonumber(number), cjson.decode(redis.call('HGET', key('page'), number)))
    redis.call('HDEL', key('under_way'), origin)
  end
end

local function ended(origin)
  redis.call('HDEL', key('under_way'), origin)
  local more = redis.call('EXISTS', key('wanted:' .. origin)) == 1
  if more and redis.call('HEXISTS', key('left'), origin) == 0 then
    look(origin, now)
  else
    redis.call('ZREM', key('due'), origin)
  end
end

local function leave(origin, said)
  redis.call('HSET', key('left'), origin, cjson.encode(said))
  redis.call('ZREM', key('due'), origin)
end

-- What is not renewed is due, and under way no more.
local function is_full(limit)
  if not limit then
    return false
  end
  local count = tonumber(redis.call('HGET', key('outcome'), 'stored') or 0)
  for _, origin in ipairs(redis.call('HKEYS', key('under_way'))) do
    if tonumber(redis.call('ZSCORE', key('due'), origin) or 0) > now then
      count = count + 1
    end
  end
  return count >= limit
end
"""
)

#: {wants, hosts, facts}: 1 if the job was begun now, 0 if it was before.
CREATE = (
    _SHARED
    + """
if redis.call('EXISTS', key('fact')) == 1 then
  return 0
end
tell('fact', arg.facts)
began_at(arg.hosts)
add(arg.wants)
return 1
"""
)

#: {worker, works}: begin to work, or end. What this worker had under way is wanted again; where it begins and
#: nobody else works, what was left for the next run is looked at. Gives the origins that it had under way,
#: each with the holder of the turn there.
OPEN = (
    _SHARED
    + """
redis.call('ZREMRANGEBYSCORE', key('worker'), '-inf', now)
redis.call('ZREM', key('worker'), arg.worker)
if arg.works and redis.call('ZCARD', key('worker')) == 0 then
  for _, origin in ipairs(redis.call('HKEYS', key('left'))) do
    look(origin, now)
  end
  redis.call('DEL', key('left'), key('failures'))
end
if arg.works then
  redis.call('ZADD', key('worker'), now + LEASE, arg.worker)
end
local had = {}
local all = redis.call('HGETALL', key('under_way'))
for place = 1, #all, 2 do
  local holder = string.match(all[place + 1], ' (.*)$')
  if string.sub(holder, 1, #arg.worker + 1) == arg.worker .. ':' then
    take_back(all[place])
    ended(all[place])
    had[#had + 1] = all[place]
    had[#had + 1] = holder
  end
end
return had
"""
)

#: {worker, turns}: what is under way here, by origin, number and holder, is so still. Gives the origins of
#: which that is true; the further keys are those of the turns.
RENEW = (
    _SHARED
    + """
redis.call('ZADD', key('worker'), now + LEASE, arg.worker)
local held = {}
for place, turn in ipairs(arg.turns) do
  local origin, number, holder = turn[1], turn[2], turn[3]
  if has(origin, number, holder) and redis.call('HGET', KEYS[place + 1], 'holder') == holder then
    redis.call('ZADD', key('due'), 'XX', now + LEASE, origin)
    held[#held + 1] = origin
  end
end
return held
"""
)

#: {wants}: want pages.
ADD = _SHARED + "add(arg.wants)\nreturn 1\n"

#: {}: an origin that is due and "", or "" and the seconds until one is, or "" twice if none ever is.
DUE = (
    _SHARED
    + """
local first = redis.call('ZRANGE', key('due'), 0, 0, 'WITHSCORES')
if not first[1] then
  return {'', ''}
end
local seconds = tonumber(first[2]) - now
if seconds > 0 then
  return {'', string.format('%.17g', seconds)}
end
return {first[1], ''}
"""
)

#: {origin, seconds}: look at an origin later, unless it is under way somewhere.
POSTPONE = (
    _SHARED
    + """
local busy = redis.call('HEXISTS', key('under_way'), arg.origin) == 1
if not busy or tonumber(redis.call('ZSCORE', key('due'), arg.origin) or 0) <= now then
  redis.call('ZADD', key('due'), 'XX', now + arg.seconds, arg.origin)
end
return 1
"""
)

#: {origin, said}: leave an origin for the next run, unless it is under way somewhere.
LEAVE = (
    _SHARED
    + """
if redis.call('HEXISTS', key('under_way'), arg.origin) == 0 then
  leave(arg.origin, arg.said)
end
return 1
"""
)

#: {limit}: 1 if so many pages are stored, with those that are under way.
FULL = _SHARED + "return is_full(arg.limit) and 1 or 0\n"

#: {origin, holder, limit}, by the one who has the turn there, which the second key tells: number, page, tries
#: and whether it is forced; nothing if there is nothing to be had.
BEGIN = (
    _SHARED
    + """
if redis.call('HGET', KEYS[2], 'holder') ~= arg.holder then
  return {}
end
local found = redis.call('HGET', key('under_way'), arg.origin)
local number = found and string.match(found, '^%d+')
if not number or not has(arg.origin, number, arg.holder) then
  take_back(arg.origin)
  if is_full(arg.limit) then
    return {}
  end
  number = redis.call('ZRANGE', key('wanted:' .. arg.origin), 0, 0)[1]
  if not number then
    redis.call('ZREM', key('due'), arg.origin)
    return {}
  end
  redis.call('ZREM', key('wanted:' .. arg.origin), number)
  redis.call('HSET', key('under_way'), arg.origin, number .. ' ' .. arg.holder)
  redis.call('HINCRBY', key('tries'), number, 1)
  look(arg.origin, now + LEASE)
end
local page, forced = redis.call('HGET', key('page'), number), redis.call('SISMEMBER', key('forced'), number)
return {number, page, tonumber(redis.call('HGET', key('tries'), number)) - 1, forced}
"""
)

#: {number, origin, holder, outcome, result, octets, answered, wants, omissions, hosts, worker, mine}: 1, or 0
#: if somebody else has the page by now.
FINISH = (
    _SHARED
    + """
if not has(arg.origin, arg.number, arg.holder) then
  return redis.call('HGET', key('done'), arg.number) == arg.holder and 1 or 0
end
redis.call('HSET', key('done'), arg.number, arg.holder)
local result = cjson.decode(arg.result)
result[#result + 1] = now
redis.call('HSET', key('result'), arg.number, cjson.encode(result))
redis.call('HINCRBY', key('outcome'), 'wanted', -1)
redis.call('HINCRBY', key('outcome'), arg.outcome, 1)
if arg.outcome == 'stored' then
  redis.call('INCRBY', key('octets'), arg.octets)
end
if arg.answered then
  redis.call('HDEL', key('failures'), arg.origin)
end
omit(arg.omissions)
began_at(arg.hosts)
tell('mine:' .. arg.worker, arg.mine)
redis.call('HDEL', key('tries'), arg.number)
redis.call('SREM', key('forced'), arg.number)
add(arg.wants)
ended(arg.origin)
return 1
"""
)

#: {number, origin, holder, count, force, said}: 1, or 0 if somebody else has the page by now. With `said`,
#: until when and why, the origin is left for the next run.
DEFER = (
    _SHARED
    + """
if not has(arg.origin, arg.number, arg.holder) then
  return 0
end
if not arg.count then
  redis.call('HINCRBY', key('tries'), arg.number, -1)
end
if arg.force then
  redis.call('SADD', key('forced'), arg.number)
end
take_back(arg.origin)
if arg.said then
  leave(arg.origin, arg.said)
end
ended(arg.origin)
return 1
"""
)

#: {number, name, folders}: 1 if the page may have the name.
RESERVE = (
    _SHARED
    + """
local function owner(name)
  return redis.call('HGET', key('name'), name)
end
local held = owner(arg.name)
if held and held ~= tostring(arg.number) then
  return 0
end
for _, folder in ipairs(arg.folders) do
  local file = owner(folder)
  if file and file ~= '/' then
    return 0
  end
end
for _, folder in ipairs(arg.folders) do
  redis.call('HSET', key('name'), folder, '/')
end
redis.call('HSET', key('name'), arg.name, arg.number)
return 1
"""
)
