-- A sliding-window log of accepted events; as many of those asked for are accepted as every limit allows.
-- KEYS[1] log, KEYS[2] the longest window it was asked for; ARGV: the store's now in ms, a name for these events, ms that the
-- log outlives that window, the number of events, then capacity and window in ms per limit
-- Returns how many are accepted, and the milliseconds until one more could be: 0 when all of them are.
local now, count = tonumber(ARGV[1]), tonumber(ARGV[4])
-- A subject may come with tokens of different limits: none of them shortens what the others have to remember.
local longest = tonumber(redis.call('GET', KEYS[2]) or 0)
for index = 6, #ARGV, 2 do
  longest = math.max(longest, tonumber(ARGV[index]))
end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - longest)
-- Events of the future are of the time before the store's clock was set back: they would block until it comes again. What
-- was long under way comes with an old time, for which all that happened since would be of the future.
local clock = redis.call('TIME')
local latest = math.max(now, clock[1] * 1000 + clock[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '(' .. string.format('%.17g', latest + tonumber(ARGV[3])), '+inf')
local accepted = count
for index = 5, #ARGV, 2 do
  local start = '(' .. string.format('%.17g', now - tonumber(ARGV[index + 1]))
  accepted = math.min(accepted, tonumber(ARGV[index]) - redis.call('ZCOUNT', KEYS[1], start, '+inf'))
end
accepted = math.max(accepted, 0)
for number = 1, accepted do
  redis.call('ZADD', KEYS[1], now, ARGV[2] .. ':' .. number)
end
local wait = 0
if accepted < count then
  for index = 5, #ARGV, 2 do
    local capacity, window = tonumber(ARGV[index]), tonumber(ARGV[index + 1])
    -- The event that must have left the window before one more fits.
    local blocking = redis.call('ZREVRANGE', KEYS[1], capacity - 1, capacity - 1, 'WITHSCORES')
    if blocking[2] then
      wait = math.max(wait, tonumber(blocking[2]) + window - now)
    end
  end
end
if accepted > 0 then
  local lifetime = string.format('%.0f', math.ceil(longest) + tonumber(ARGV[3]))
  redis.call('PEXPIRE', KEYS[1], lifetime)
  redis.call('SET', KEYS[2], string.format('%.17g', longest), 'PX', lifetime)
end
return { accepted, tostring(wait) }
