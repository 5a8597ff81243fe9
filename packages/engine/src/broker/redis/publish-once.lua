-- Hands on a publication that is not kept, unless its idempotency key was seen or its version is not newer than the stored
-- one (client protocol 10.2, 16.4). Answers {offset, epoch, repeated, stale}.
-- KEYS: result, meta
-- ARGV: message, PUB/SUB channel, idempotency TTL ms or '', 'PUBLISH' or 'SPUBLISH', version or '0', version epoch,
--       meta TTL ms
local result, meta = KEYS[1], KEYS[2]
local idempotency_ttl, version, version_epoch = ARGV[3], ARGV[5], ARGV[6]

if idempotency_ttl ~= '' then
  local known = redis.call('HMGET', result, 'e', 's')
  if known[1] then return {known[2] or '0', known[1], '1', '0'} end
end

if version ~= '0' then
  local stored = redis.call('HMGET', meta, 'v', 've')
  local same_epoch = version_epoch == '' or version_epoch == stored[2]
  if stored[1] and same_epoch and tonumber(stored[1]) >= tonumber(version) then return {'0', '', '0', '1'} end
  redis.call('HSET', meta, 'v', version, 've', version_epoch)
  redis.call('PEXPIRE', meta, ARGV[7])
end

redis.call(ARGV[4], ARGV[2], ARGV[1])

if idempotency_ttl ~= '' then
  redis.call('HSET', result, 'e', '')
  redis.call('PEXPIRE', result, idempotency_ttl)
end
return {'0', '', '0', '0'}
