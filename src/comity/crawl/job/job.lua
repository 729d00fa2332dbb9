-- The steps of a RedisJob. A Redis server runs each of them atomically.
--
-- A job is stored in these keys, each with the job's prefix. URLs are known by number.
--
--   metadata, worker_metadata:WORKER   hashes of JSON
--   hosts                 set                   start hosts
--   number                hash URL -> number    every URL that is or was queued
--   page                  hash number -> JSON   [url, origin, depth, kind, start, hops, referrer, line]
--   queued:ORIGIN         sorted set            numbers, by depth and number
--   tries, forced         hash, set             of numbers
--   in_progress           hash origin -> text   "number holder"
--   due                   sorted set            origins with unfinished URLs, by the time to look at them
--   postponed             hash origin -> JSON   [until, reason]
--   failures              hash origin -> count
--   result                hash number -> JSON   [outcome, status, ..., time]
--   done                  hash number -> holder of the lease under which it was finished
--   outcome, bytes        hash, count
--   name                  hash name -> number   "/" for a folder
--   skipped_link, skipped hashes                skipped links, and their number by reason
--   worker                sorted set            active workers, by the time when they count as gone
--
-- KEYS[1] is the prefix. ARGV[1] is the name of the step, ARGV[2] its argument `arg` as a JSON object, and
-- ARGV[3] the constants as JSON. A step may be run twice for one request, because its reply can be lost. The
-- time is the server's unless `arg.now` gives another. If the job is not the one with the identifier `arg.id`,
-- the server has lost it, and the step fails.

-- Added to a number per link of depth: sorts URLs by depth first, then by number.
local DEPTH = 2 ^ 32

local prefix, arg, constants = KEYS[1], cjson.decode(ARGV[2]), cjson.decode(ARGV[3])
local LEASE, MAX_SKIPPED_LINKS = constants.lease, constants.max_skipped_links

local now = arg.now
if not now then
  local clock = redis.call('TIME')
  now = tonumber(clock[1]) + tonumber(clock[2]) / 1e6
end

local function key(name)
  return prefix .. name
end

if arg.id and redis.call('HGET', key('metadata'), 'id') ~= arg.id then
  return redis.error_reply('LOST the job')
end

local function set_due(origin, at)
  redis.call('ZADD', key('due'), at, origin)
end

local function is_queued(origin, number)
  return redis.call('ZSCORE', key('queued:' .. origin), number)
end

local function queue(number, page)
  redis.call('ZADD', key('queued:' .. page[2]), page[3] * DEPTH + number, number)
end

local function add(pages)
  for _, page in ipairs(pages) do
    local url, origin, depth, kind = page[1], page[2], page[3], page[4]
    local number = redis.call('HGET', key('number'), url)
    if not number then
      number = redis.call('INCR', key('last'))
      redis.call('HSET', key('number'), url, number)
      redis.call('HSET', key('page'), number, cjson.encode(page))
      redis.call('HINCRBY', key('outcome'), 'queued', 1)
      queue(number, page)
      if redis.call('HEXISTS', key('postponed'), origin) == 0 then
        redis.call('ZADD', key('due'), 'NX', now, origin)
      end
    elseif is_queued(origin, number) then
      -- A queued URL gets the smaller depth. A URL that is linked and embedded is a page.
      local known = cjson.decode(redis.call('HGET', key('page'), number))
      local shorter, linked = depth < known[3], kind == 'page' and known[4] == 'resource'
      if shorter or linked then
        known[3] = shorter and depth or known[3]
        known[4] = linked and kind or known[4]
        redis.call('HSET', key('page'), number, cjson.encode(known))
        queue(number, known)
      end
    end
  end
end

local function add_skipped(links)
  for _, link in ipairs(links) do
    local reason, name = link[2], cjson.encode({link[1], link[2]})
    local count = tonumber(redis.call('HGET', key('skipped'), reason) or 0)
    local is_new = true
    if count < MAX_SKIPPED_LINKS then
      is_new = redis.call('HSETNX', key('skipped_link'), name, cjson.encode(link)) == 1
    end
    if is_new then
      redis.call('HINCRBY', key('skipped'), reason, 1)
    end
  end
end

local function set_metadata(name, metadata)
  for entry, value in pairs(metadata) do
    redis.call('HSET', key(name), entry, value)
  end
end

local function add_hosts(hosts)
  for _, host in ipairs(hosts) do
    redis.call('SADD', key('hosts'), host)
  end
end

-- A worker that is too slow loses its URL to another worker.
local function holds(origin, number, holder)
  return redis.call('HGET', key('in_progress'), origin) == number .. ' ' .. holder
end

-- Queue the URL in progress of an origin again.
local function requeue(origin)
  local found = redis.call('HGET', key('in_progress'), origin)
  if found then
    local number = string.match(found, '^%d+')
    queue(tonumber(number), cjson.decode(redis.call('HGET', key('page'), number)))
    redis.call('HDEL', key('in_progress'), origin)
  end
end

-- Make an origin idle, and due after some seconds if it has queued URLs.
local function finish_origin(origin, seconds)
  redis.call('HDEL', key('in_progress'), origin)
  local more = redis.call('EXISTS', key('queued:' .. origin)) == 1
  if more and redis.call('HEXISTS', key('postponed'), origin) == 0 then
    set_due(origin, now + (seconds or 0))
  else
    redis.call('ZREM', key('due'), origin)
  end
end

local function postpone(origin, postponement)
  redis.call('HSET', key('postponed'), origin, cjson.encode(postponement))
  redis.call('ZREM', key('due'), origin)
end

-- An expired lease is due again, and no longer counts.
local function is_full(limit)
  if not limit then
    return false
  end
  local stored, checked = unpack(redis.call('HMGET', key('outcome'), 'stored', 'checked'))
  local count = tonumber(stored or 0) + tonumber(checked or 0)
  for _, origin in ipairs(redis.call('HKEYS', key('in_progress'))) do
    if tonumber(redis.call('ZSCORE', key('due'), origin) or 0) > now then
      count = count + 1
    end
  end
  return count >= limit
end

local step = {}

-- {requests, hosts, metadata}: return 1 if the job is new, 0 if it existed.
function step.create()
  if redis.call('EXISTS', key('metadata')) == 1 then
    return 0
  end
  set_metadata('metadata', arg.metadata)
  add_hosts(arg.hosts)
  add(arg.requests)
  return 1
end

-- {worker, active}: register or unregister a worker, and queue its URLs in progress again. The first active
-- worker makes postponed origins due. Return the origins that the worker had, each with the lease holder.
function step.register()
  redis.call('ZREMRANGEBYSCORE', key('worker'), '-inf', now)
  redis.call('ZREM', key('worker'), arg.worker)
  if arg.active and redis.call('ZCARD', key('worker')) == 0 then
    for _, origin in ipairs(redis.call('HKEYS', key('postponed'))) do
      set_due(origin, now)
    end
    redis.call('DEL', key('postponed'), key('failures'))
  end
  if arg.active then
    redis.call('ZADD', key('worker'), now + LEASE, arg.worker)
  end
  local had = {}
  local all = redis.call('HGETALL', key('in_progress'))
  for place = 1, #all, 2 do
    local holder = string.match(all[place + 1], ' (.*)$')
    if string.sub(holder, 1, #arg.worker + 1) == arg.worker .. ':' then
      requeue(all[place])
      finish_origin(all[place])
      had[#had + 1] = all[place]
      had[#had + 1] = holder
    end
  end
  return had
end

-- {worker, leases}: renew leases, each an origin, number and holder. KEYS[2] and so on are the keys of the
-- hosts' leases in the store. Return the origins that are still held.
function step.renew()
  redis.call('ZADD', key('worker'), now + LEASE, arg.worker)
  local held = {}
  for place, lease in ipairs(arg.leases) do
    local origin, number, holder = lease[1], lease[2], lease[3]
    if holds(origin, number, holder) and redis.call('HGET', KEYS[place + 1], 'holder') == holder then
      redis.call('ZADD', key('due'), 'XX', now + LEASE, origin)
      held[#held + 1] = origin
    end
  end
  return held
end

-- {requests}
function step.add()
  add(arg.requests)
  return 1
end

-- {}: return a due origin and ""; or "" and the seconds until one is due; or "" twice if none is queued.
function step.due()
  local first = redis.call('ZRANGE', key('due'), 0, 0, 'WITHSCORES')
  if not first[1] then
    return {'', ''}
  end
  local seconds = tonumber(first[2]) - now
  if seconds > 0 then
    return {'', string.format('%.17g', seconds)}
  end
  return {first[1], ''}
end

-- {origin, seconds}: make an origin due later, unless it is in progress.
function step.reschedule()
  local busy = redis.call('HEXISTS', key('in_progress'), arg.origin) == 1
  if not busy or tonumber(redis.call('ZSCORE', key('due'), arg.origin) or 0) <= now then
    redis.call('ZADD', key('due'), 'XX', now + arg.seconds, arg.origin)
  end
  return 1
end

-- {origin, postpone}: postpone an origin to the next run, unless it is in progress.
function step.postpone()
  if redis.call('HEXISTS', key('in_progress'), arg.origin) == 0 then
    postpone(arg.origin, arg.postpone)
  end
  return 1
end

-- {limit}: return 1 if stored pages and URLs in progress reach the limit.
function step.is_full()
  return is_full(arg.limit) and 1 or 0
end

-- {origin, holder, limit}: return number, page, tries and whether it is forced; or nothing if no URL is
-- available. KEYS[2] is the key of the host's lease in the store, which the holder must have.
function step.begin()
  if redis.call('HGET', KEYS[2], 'holder') ~= arg.holder then
    return {}
  end
  local found = redis.call('HGET', key('in_progress'), arg.origin)
  local number = found and string.match(found, '^%d+')
  if not number or not holds(arg.origin, number, arg.holder) then
    requeue(arg.origin)
    if is_full(arg.limit) then
      return {}
    end
    number = redis.call('ZRANGE', key('queued:' .. arg.origin), 0, 0)[1]
    if not number then
      redis.call('ZREM', key('due'), arg.origin)
      return {}
    end
    redis.call('ZREM', key('queued:' .. arg.origin), number)
    redis.call('HSET', key('in_progress'), arg.origin, number .. ' ' .. arg.holder)
    redis.call('HINCRBY', key('tries'), number, 1)
    set_due(arg.origin, now + LEASE)
  end
  local page, forced = redis.call('HGET', key('page'), number), redis.call('SISMEMBER', key('forced'), number)
  return {number, page, tonumber(redis.call('HGET', key('tries'), number)) - 1, forced}
end

-- {number, origin, holder, outcome, result, size, answered, requests, skipped, hosts, worker, metadata}: return
-- 1, or 0 if the lease was lost.
function step.finish()
  if not holds(arg.origin, arg.number, arg.holder) then
    return redis.call('HGET', key('done'), arg.number) == arg.holder and 1 or 0
  end
  redis.call('HSET', key('done'), arg.number, arg.holder)
  local result = cjson.decode(arg.result)
  result[#result + 1] = now
  redis.call('HSET', key('result'), arg.number, cjson.encode(result))
  redis.call('HINCRBY', key('outcome'), 'queued', -1)
  redis.call('HINCRBY', key('outcome'), arg.outcome, 1)
  if arg.outcome == 'stored' then
    redis.call('INCRBY', key('bytes'), arg.size)
  end
  if arg.answered then
    redis.call('HDEL', key('failures'), arg.origin)
  end
  add_skipped(arg.skipped)
  add_hosts(arg.hosts)
  set_metadata('worker_metadata:' .. arg.worker, arg.metadata)
  redis.call('HDEL', key('tries'), arg.number)
  redis.call('SREM', key('forced'), arg.number)
  add(arg.requests)
  finish_origin(arg.origin)
  return 1
end

-- {number, origin, holder, count, force, seconds, postpone}: queue a URL again; its origin is due after some
-- seconds. Return 1, or 0 if the lease was lost.
function step.defer()
  if not holds(arg.origin, arg.number, arg.holder) then
    return 0
  end
  if not arg.count then
    redis.call('HINCRBY', key('tries'), arg.number, -1)
  end
  if arg.force then
    redis.call('SADD', key('forced'), arg.number)
  end
  requeue(arg.origin)
  if arg.postpone then
    postpone(arg.origin, arg.postpone)
  end
  finish_origin(arg.origin, arg.seconds)
  return 1
end

-- {number, name, folders}: return 1 if the page can have the name.
function step.reserve()
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
end

return step[ARGV[1]]()
