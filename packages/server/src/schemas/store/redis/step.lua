-- Replaces the history of one pattern when the content is still what the caller saw.
-- KEYS[1] hash; ARGV: revision seen, token of the new one, event channel, pattern, its history (empty: remove)
-- The field '' holds the revision; no pattern is empty. Returns the new revision, false on a conflict.
local known = redis.call('HGET', KEYS[1], '') or '0'
if known ~= ARGV[1] then
  return false
end
if ARGV[5] == '' then
  redis.call('HDEL', KEYS[1], ARGV[4])
else
  redis.call('HSET', KEYS[1], ARGV[4], ARGV[5])
end
local revision = (tonumber(string.match(known, '^%d+')) + 1) .. ':' .. ARGV[2]
redis.call('HSET', KEYS[1], '', revision)
redis.call('PUBLISH', ARGV[3], revision)
return revision
