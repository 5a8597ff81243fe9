-- Replaces or removes one API key when it is still at the revision that the caller saw.
-- KEYS[1] hash; ARGV: name, revision seen (empty: there is no such key), its JSON (empty: remove)
-- The JSON begins with the revision. Returns 1, or 0 when the key was changed meanwhile.
local stored = redis.call('HGET', KEYS[1], ARGV[1])
local revision = ''
if stored then
  revision = string.match(stored, '^{"revision":"(%w+)"') or '?'
end
if revision ~= ARGV[2] then
  return 0
end
if ARGV[3] == '' then
  redis.call('HDEL', KEYS[1], ARGV[1])
else
  redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
end
return 1
