-- Reads a stream, created when absent unless it is only looked at (client protocol 16.5). Answers {top, epoch, entries}, or
-- nothing for a channel that has, or had, append streams.
-- KEYS: stream, meta
-- ARGV: new epoch, meta TTL ms or '' to look only, '' for the position only, else 'XRANGE' or 'XREVRANGE', from, to, count or '-1'
local known = redis.call('HMGET', KEYS[2], 'e', 's', 'a')
if known[3] then return {} end
local epoch, top = known[1], known[2] or '0'
if not epoch then
  if ARGV[2] == '' then return {'0', '', {}} end
  epoch = ARGV[1]
  redis.call('HSET', KEYS[2], 'e', epoch)
end
if ARGV[2] ~= '' then redis.call('PEXPIRE', KEYS[2], ARGV[2]) end
-- Entries of a stream without a top belong to an epoch that is gone.
if ARGV[3] == '' or top == '0' then return {top, epoch, {}} end
local range = {ARGV[3], KEYS[1], ARGV[4], ARGV[5]}
if ARGV[6] ~= '-1' then
  range[5], range[6] = 'COUNT', ARGV[6]
end
return {top, epoch, redis.call(unpack(range))}
