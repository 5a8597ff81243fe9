-- Replaces all patterns, when the content is still what the caller saw.
-- KEYS[1] hash; ARGV: revision seen (empty: any), token of the new one, event channel, then pattern and history in turns
-- The field '' holds the revision. Returns the new one, false on a conflict.
local known = redis.call('HGET', KEYS[1], '') or '0'
if ARGV[1] ~= '' and known ~= ARGV[1] then
  return false
end
local revision = (tonumber(string.match(known, '^%d+')) + 1) .. ':' .. ARGV[2]
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], '', revision)
for at = 4, #ARGV, 2 do
  redis.call('HSET', KEYS[1], ARGV[at], ARGV[at + 1])
end
redis.call('PUBLISH', ARGV[3], revision)
return revision
