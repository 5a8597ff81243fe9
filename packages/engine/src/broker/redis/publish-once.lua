-- Hands on a publication of a channel without history, unless its idempotency key was seen (client protocol 16.4).
-- Answers {offset, epoch, repeated, stale}.
-- KEYS: result; ARGV: message, PUB/SUB channel, idempotency TTL ms, 'PUBLISH' or 'SPUBLISH'
local known = redis.call('HMGET', KEYS[1], 'e', 's')
if known[1] then return {known[2] or '0', known[1], '1', '0'} end
redis.call(ARGV[4], ARGV[2], ARGV[1])
redis.call('HSET', KEYS[1], 'e', '')
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return {'0', '', '0', '0'}
