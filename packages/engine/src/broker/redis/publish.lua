-- Appends a publication and hands it on (client protocol 16.3). Answers {offset, epoch, repeated, stale}.
-- KEYS: stream, meta, result
-- ARGV: record, size, stream TTL ms, PUB/SUB channel, meta TTL ms, new epoch, idempotency TTL ms or '',
--       '1' when deltas are permitted, version or '0', version epoch, 'PUBLISH' or 'SPUBLISH'
local stream, meta, result = KEYS[1], KEYS[2], KEYS[3]
local record, size, ttl, channel, meta_ttl = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local new_epoch, idempotency_ttl, delta = ARGV[6], ARGV[7], ARGV[8] == '1'
local version, version_epoch = ARGV[9], ARGV[10]

if idempotency_ttl ~= '' then
  local known = redis.call('HMGET', result, 'e', 's')
  if known[1] then return {known[2] or '0', known[1], '1', '0'} end
end

local epoch = redis.call('HGET', meta, 'e')
if not epoch then
  epoch = new_epoch
  redis.call('HSET', meta, 'e', epoch)
end

if version ~= '0' then
  local stored = redis.call('HMGET', meta, 'v', 've', 's')
  local same_epoch = version_epoch == '' or version_epoch == stored[2]
  if stored[1] and same_epoch and tonumber(stored[1]) >= tonumber(version) then
    return {stored[3] or '0', epoch, '0', '1'}
  end
  redis.call('HSET', meta, 'v', version, 've', version_epoch)
end

local top = redis.call('HINCRBY', meta, 's', 1)
redis.call('PEXPIRE', meta, meta_ttl)

local previous = ''
if top == 1 then
  -- The meta hash may have been evicted while the stream stayed: a new epoch must not see old offsets.
  redis.call('DEL', stream)
elseif delta then
  local newest = redis.call('XREVRANGE', stream, '+', '-', 'COUNT', 1)[1]
  if newest then previous = newest[2][2] end
end

redis.call('XADD', stream, 'MAXLEN', size, top, 'd', record)
redis.call('PEXPIRE', stream, ttl)

local envelope
if delta then
  envelope = '__d1:' .. top .. ':' .. epoch .. ':' .. #previous .. ':' .. previous .. ':' .. #record .. ':' .. record
else
  envelope = '__p1:' .. top .. ':' .. epoch .. '__' .. record
end
redis.call(ARGV[11], channel, envelope)

if idempotency_ttl ~= '' then
  redis.call('HSET', result, 'e', epoch, 's', top)
  redis.call('PEXPIRE', result, idempotency_ttl)
end
return {tostring(top), epoch, '0', '0'}
