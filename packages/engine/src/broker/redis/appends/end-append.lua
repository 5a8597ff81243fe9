-- Ends the open message if its time has come (append streams 6). Whoever asks first ends it: the others find it ended.
-- ARGV: PUB/SUB channel, 'PUBLISH' or 'SPUBLISH', rest of the record of an end by a cancel, the same of an orphan's end,
--       message that the records name
-- Answers {'ended', status, 'cancel' or 'orphan'}, {'open', message, ms that are left} or {'none'}
local m, epoch = find_open()
if not m then return {'none'} end
local now = store_time()
local left = due_of(m) - now
if left > 0 or m[MESSAGE] ~= ARGV[5] then return {'open', m[MESSAGE], left} end
local object = redis.call('HGET', meta, 'mt')
local by, ending = 'orphan', {status = 'failed', reason = '"orphaned"', record = ARGV[4], flag = 16}
if m[CANCEL] ~= '' and m[CANCEL_DEADLINE] <= now then
  by = 'cancel'
  ending = {status = 'cancelled', reason = string.match(m[CANCEL], '^[^\n]*'), record = ARGV[3], flag = 8}
end
flush(m, epoch, '', m[TAIL], head_of(m, ending.status, ending.reason, object), ending, 0, ARGV[1], ARGV[2])
redis.call('PEXPIRE', stream, m[TTL])
return {'ended', ending.status, by}
