-- Replaces all patterns.
-- KEYS[1] hash; ARGV: token of the new revision, event channel, then pattern and history in turns
-- The field '' holds the revision. Returns the new one.
local known = redis.call('HGET', KEYS[1], '') or '0'
local revision = (tonumber(string.match(known, '^%d+')) + 1) .. ':' .. ARGV[1]
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], '', revision)
for at = 3, #ARGV, 2 do
  redis.call('HSET', KEYS[1], ARGV[at], ARGV[at + 1])
end
redis.call('PUBLISH', ARGV[2], revision)
return revision
