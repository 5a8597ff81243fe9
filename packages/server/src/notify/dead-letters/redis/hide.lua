-- Hides letters; those that are gone or hidden already stay as they are.
-- KEYS[1] stream, KEYS[2] hidden letters with the Unix millisecond of their end; ARGV: milliseconds, ids …
-- Returns the ids of those that it hid.
local time = redis.call('TIME')
local due = time[1] * 1000 + math.floor(time[2] / 1000) + ARGV[1]
local hidden = {}
for index = 2, #ARGV do
  local id = ARGV[index]
  if #redis.call('XRANGE', KEYS[1], id, id) > 0 and redis.call('ZADD', KEYS[2], 'NX', due, id) == 1 then
    hidden[#hidden + 1] = id
  end
end
return hidden
