-- Appends a publication and hands it on (client protocol 16.3). Answers {offset, epoch}, and of
-- one that was suppressed {offset, epoch, repeated, stale}.
-- KEYS: stream, meta, result; of a channel with append streams also the body of the open message (append streams 11)
-- ARGV: record, size, stream TTL ms, PUB/SUB channel, meta TTL ms, new epoch, idempotency TTL ms or '',
--       '1' when deltas are permitted, version or '0', version epoch, 'PUBLISH' or 'SPUBLISH'
local stream, meta, result, body = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
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

-- Every offset between `prior` and this one was a state of the open message. A message without all its parts is lost: an
-- offset is left out, so that nobody can claim to have everything.
local prior, ended
if body then
  local known = redis.call('HMGET', meta, 'ae', 'w', 'r')
  ended = known[1]
  if known[2] then
    -- Of the members of a message (open-message.lua) the sixth is the length of its body.
    if redis.call('STRLEN', body) == cmsgpack.unpack(known[2])[6] then
      prior = known[3]
    else
      redis.call('DEL', body)
      redis.call('HDEL', meta, 'w', 'r', 'mt')
      redis.call('HINCRBY', meta, 's', 1)
    end
  end
end

local top = redis.call('HINCRBY', meta, 's', 1)
redis.call('PEXPIRE', meta, meta_ttl)

local previous = ''
if top == 1 then
  -- The meta hash may have been evicted while the stream stayed: a new epoch must not see old offsets.
  redis.call('DEL', stream)
elseif delta then
  local newest = redis.call('XREVRANGE', stream, '+', '-', 'COUNT', 1)[1]
  -- A state is never the base of an ordinary publication.
  local is_base = newest and (not body or (newest[1] == (top - 1) .. '-0' and ended ~= tostring(top - 1)))
  if is_base then previous = newest[2][2] end
end

if prior then
  redis.call('XADD', stream, 'MAXLEN', size, top, 'd', record, 'p', prior)
  redis.call('HSET', meta, 'r', top)
else
  redis.call('XADD', stream, 'MAXLEN', size, top, 'd', record)
end
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
return {top, epoch}
