-- Sets the last activity of an open channel, and its TTL where one is given.
-- KEYS[1] records; ARGV: name, now in Unix nanoseconds, ms by which the store's clock is ahead of that now, TTL in seconds or ''
-- Returns the record as it stands, false when there is none.
local known = redis.call('HGET', KEYS[1], ARGV[1])
if not known then
  return false
end
local record = cjson.decode(known)
if record.state ~= 'open' then
  return known
end
record.last_active = ARGV[2]
record.clock_lead_ms = ARGV[3]
if ARGV[4] ~= '' then
  record.ttl_seconds = ARGV[4]
end
local text = cjson.encode(record)
redis.call('HSET', KEYS[1], ARGV[1], text)
return text
