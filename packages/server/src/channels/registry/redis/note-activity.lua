-- Moves the last activity of open channels forward. Back only from a time that no delay of a note explains: there the
-- store's clock was set back.
-- KEYS[1] records; ARGV: ms by which the store's clock is ahead of the node's; then a name and a time in Unix nanoseconds
-- by the node's clock for each channel
-- Returns for each the record as it stands, false when there is none.

-- Milliseconds of a time in nanoseconds, by the store's clock: a double holds those exactly.
local function moment(nanoseconds, lead)
  return (tonumber(string.sub(nanoseconds or '', 1, -7)) or 0) + (tonumber(lead) or 0)
end

-- Longest delay of a note, far more than a command may take.
local DELAY_MS = 60000

local answer = {}
for index = 2, #ARGV, 2 do
  local name, at = ARGV[index], ARGV[index + 1]
  local known = redis.call('HGET', KEYS[1], name)
  local readable, record = pcall(cjson.decode, known or '')
  if readable and type(record) == 'table' and record.state == 'open' then
    local later = moment(at, ARGV[1]) - moment(record.last_active, record.clock_lead_ms)
    if later > 0 or later < -DELAY_MS then
      record.last_active = at
      record.clock_lead_ms = ARGV[1]
      known = cjson.encode(record)
      redis.call('HSET', KEYS[1], name, known)
    end
  end
  answer[#answer + 1] = known
end
return answer
