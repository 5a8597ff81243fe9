-- Looks at one batch of records: closes public channels that are idle for their TTL and removes private ones.
-- Change and event are one step, so that of several nodes one makes them, and dying in between is not possible.
-- KEYS[1] records; ARGV: the node's now in Unix nanoseconds, for events; the store's now in ms; cursor, batch size, event channel, node id
-- Returns {next cursor, changed records...}.

-- Milliseconds of a time in nanoseconds: a double holds those exactly.
local function milliseconds(nanoseconds)
  return tonumber(string.sub(nanoseconds or '', 1, -7)) or 0
end

local now = tonumber(ARGV[2])
local batch = redis.call('HSCAN', KEYS[1], ARGV[3], 'COUNT', ARGV[4])
local answer = { batch[1] }
local entries = batch[2]
for index = 1, #entries, 2 do
  local name = entries[index]
  local readable, record = pcall(cjson.decode, entries[index + 1])
  if readable and type(record) == 'table' and record.state == 'open' then
    local ttl = (tonumber(record.ttl_seconds) or math.huge) * 1000
    -- Without the lead a record is of a node that does not write it.
    local active = milliseconds(record.last_active) + (tonumber(record.clock_lead_ms) or 0)
    if now - active >= ttl then
      local kind = record.visibility == 'private' and 'deleted' or 'closed'
      record.state = kind
      local text = cjson.encode(record)
      if kind == 'deleted' then
        redis.call('HDEL', KEYS[1], name)
      else
        redis.call('HSET', KEYS[1], name, text)
      end
      local event = '{"node_id":' .. cjson.encode(ARGV[6]) .. ',"kind":"' .. kind .. '","name":' .. cjson.encode(name)
      redis.call('PUBLISH', ARGV[5], event .. ',"at_unix_nano":' .. ARGV[1] .. '}')
      answer[#answer + 1] = text
    end
  end
end
return answer
