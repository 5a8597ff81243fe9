-- Adds text to the open message, from its producer: what nearly every request does. It takes as few commands as it can: the
-- length that APPEND answers says whether the body was there.
-- KEYS: stream, meta, body of the open message
-- ARGV: message, producer, number of the first operation, operations, their text, most bytes of a document, history TTL ms,
--       meta TTL ms, PUB/SUB channel, 'PUBLISH' or 'SPUBLISH'
-- Answers {offset, epoch, size, flags}; nothing when append.lua has to decide
local meta, body, added = KEYS[2], KEYS[3], ARGV[5]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local known = redis.call('HMGET', meta, 'e', 's', 'w')
if not known[3] then return end
-- The members of a message stand in open-message.lua.
local m = cmsgpack.unpack(known[3])
local epoch, tail, from = known[1], m[5], m[6]
if m[1] ~= ARGV[1] or m[2] ~= ARGV[2] or m[3] + 1 ~= tonumber(ARGV[3]) then return end
if m[8] <= now or m[10] ~= '' or tail == 'c' then return end
local length = from + #added
local size = m[7] + length + (tail == 't' and 2 or 4)
if size > tonumber(ARGV[6]) then return end
if redis.call('APPEND', body, added) ~= length then
  redis.call('DEL', body)
  return
end
local top = known[2] + 1
local flags = m[4] == top - 1 and 4 or 0
m[3], m[4], m[6], m[8] = m[3] + ARGV[4], top, length, now + m[9]
-- Lives that were prolonged a moment ago are long enough.
local ttl = tonumber(ARGV[7])
if now - m[18] > math.min(1000, ttl / 16) then
  m[16], m[18] = ttl, now
  redis.call('PEXPIRE', body, math.max(ttl, 2 * m[9]))
  redis.call('PEXPIRE', KEYS[1], ttl)
  redis.call('PEXPIRE', meta, math.max(ARGV[8], 2 * m[9]))
end
redis.call('HSET', meta, 's', top, 'w', cmsgpack.pack(m))
redis.call(ARGV[10], ARGV[9], '__a1:' .. top .. ':' .. epoch .. ':' .. ARGV[1] .. ':' .. from .. ':' .. tail .. ':' .. flags ..
  ':0::' .. #added .. ':' .. added)
return {top, epoch, size, flags}
