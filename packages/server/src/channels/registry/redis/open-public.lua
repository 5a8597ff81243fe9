-- Opens, reopens or refreshes a public channel.
-- KEYS[1] records; ARGV: name, TTL in seconds, now in Unix nanoseconds, ms by which the
-- store's clock is ahead of that now, event channel, event
-- Returns {change, record}.
local known = redis.call('HGET', KEYS[1], ARGV[1])
local record = { name = ARGV[1], visibility = 'public', created_at = ARGV[3] }
local change = 'created'
if known then
  record = cjson.decode(known)
  if record.state == 'deleted' then
    return { 'refused', known }
  end
  change = record.state == 'open' and 'refreshed' or 'reopened'
end
record.state = 'open'
record.ttl_seconds = ARGV[2]
record.last_active = ARGV[3]
record.clock_lead_ms = ARGV[4]
local text = cjson.encode(record)
redis.call('HSET', KEYS[1], ARGV[1], text)
if change ~= 'refreshed' then
  redis.call('PUBLISH', ARGV[5], ARGV[6])
end
return { change, text }
