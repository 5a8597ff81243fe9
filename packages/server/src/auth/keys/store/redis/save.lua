-- Replaces the keyring when it is still the one the caller saw.
-- KEYS[1] document, KEYS[2] version; ARGV: document, version the caller saw (empty: nothing stored), event channel
-- Returns the new version, false on a conflict. Nothing has the version ''; a document without one has version 0.
local known = redis.call('GET', KEYS[1])
local seen = ''
if known then
  seen = (redis.call('GET', KEYS[2]) or '0') .. ':' .. redis.sha1hex(known)
end
if seen ~= ARGV[2] then
  return false
end
redis.call('SET', KEYS[1], ARGV[1])
local version = tostring(redis.call('INCR', KEYS[2]))
redis.call('PUBLISH', ARGV[3], version)
return version .. ':' .. redis.sha1hex(ARGV[1])
