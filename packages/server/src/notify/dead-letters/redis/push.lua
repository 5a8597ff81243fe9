-- Parks a letter. Every id is unique among all sinks: its second half is drawn by the caller, and only the first
-- letter of a millisecond has that millisecond.
-- KEYS[1] stream, KEYS[2] names of the sinks; ARGV: item, second half of the id, capacity, sink
-- Returns the id.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if redis.call('EXISTS', KEYS[1]) == 1 then
  local info = redis.call('XINFO', 'STREAM', KEYS[1])
  for index = 1, #info, 2 do
    if info[index] == 'last-generated-id' then
      now = math.max(now, tonumber(string.match(info[index + 1], '^%d+')) + 1)
    end
  end
end
redis.call('SADD', KEYS[2], ARGV[4])
local id = string.format('%.0f', now) .. '-' .. ARGV[2]
return redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[3], id, 'item', ARGV[1])
