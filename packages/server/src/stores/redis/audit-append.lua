-- Adds a record to the stream, in place of an earlier record of the same call.
-- KEYS: stream, hash of the entries without an outcome. ARGV: id of the call, record, about how many are kept,
-- 1 while the call has no outcome.
local earlier = redis.call('HGET', KEYS[2], ARGV[1])
if earlier then
  redis.call('XDEL', KEYS[1], earlier)
  redis.call('HDEL', KEYS[2], ARGV[1])
end
local entry = redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[3], '*', 'record', ARGV[2])
if ARGV[4] == '1' then
  redis.call('HSET', KEYS[2], ARGV[1], entry)
  -- A call whose node died keeps its entry; what finds it ends.
  redis.call('EXPIRE', KEYS[2], 86400)
end
return entry
