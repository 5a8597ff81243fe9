-- Reads a message: by its id, else the open one, else the newest (append streams 5.1).
-- ARGV: message or '*', '1' with its document
-- Answers {'open', epoch, its fields, body or ''}, {'ended', epoch, message, its fields, the entry's record or ''},
-- {'due', message} or {'none'}
local message = ARGV[1]
local m, epoch, _, first = find_open()
if m and due_of(m) <= store_time() then return {'due', m[MESSAGE]} end
if m and (message == '*' or message == m[MESSAGE]) then
  local fields = {
    m[MESSAGE], m[PRODUCER], m[SEQ], m[OFFSET], m[FORMAT], m[RUN], m[INPUT], m[TAIL], m[HEAD_LENGTH], m[LENGTH],
    m[ORPHAN], m[CANCEL], redis.call('HGET', meta, 'mt')
  }
  return {'open', epoch, fields, ARGV[2] == '1' and redis.call('GET', body) or ''}
end
if message == '*' then message = redis.call('HGET', meta, 'an') end
if not epoch or not message then return {'none'} end
local fields = redis.call('HMGET', done_prefix .. message, 'e', 'p', 's', 'o', 'f', 'ru', 'i', 'st', 're', 'sz', 'c')
if fields[1] ~= first then return {'none'} end
local entry = ARGV[2] == '1' and redis.call('XRANGE', stream, fields[4], fields[4])[1]
return {'ended', epoch, message, fields, entry and entry[2][2] or ''}
