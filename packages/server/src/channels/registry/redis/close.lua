-- Closes an open channel.
-- KEYS[1] records; ARGV: name, event channel, event
-- Returns {1 when the record was changed, else 0; record}, false when there is none.
local known = redis.call('HGET', KEYS[1], ARGV[1])
if not known then
  return false
end
local record = cjson.decode(known)
if record.state ~= 'open' then
  return { 0, known }
end
record.state = 'closed'
local text = cjson.encode(record)
redis.call('HSET', KEYS[1], ARGV[1], text)
redis.call('PUBLISH', ARGV[2], ARGV[3])
return { 1, text }
