-- Brings hidden letters back whose end has not come.
-- KEYS[1] hidden letters; ARGV: ids …
-- Returns how many.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local restored = 0
for _, id in ipairs(ARGV) do
  local due = redis.call('ZSCORE', KEYS[1], id)
  if due and tonumber(due) > now then
    restored = restored + redis.call('ZREM', KEYS[1], id)
  end
end
return restored
