-- Removes hidden letters whose end has come, some at a time, and counts those that are not hidden.
-- KEYS[1] stream, KEYS[2] states, KEYS[3] hidden letters; ARGV: how many at most
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local due = redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', now, 'LIMIT', 0, ARGV[1])
if #due > 0 then
  redis.call('XDEL', KEYS[1], unpack(due))
  redis.call('HDEL', KEYS[2], unpack(due))
  redis.call('ZREM', KEYS[3], unpack(due))
end
return math.max(0, redis.call('XLEN', KEYS[1]) - redis.call('ZCARD', KEYS[3]))
