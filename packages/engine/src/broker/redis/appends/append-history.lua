-- Reads a stream whose messages grow (append streams 11). Answers {'due', message} or
-- {'read', top, epoch, entries, the open message's fields or {}, body or '', entries after the open message}.
-- ARGV: new epoch, meta TTL ms or '' to look only, '' for the position only, else 'XRANGE' or 'XREVRANGE', from, to, count or
--       '-1', '1' with the body
local look = ARGV[2] == ''
local m, epoch, top = find_open(look)
if m and not look and due_of(m) <= store_time() then return {'due', m[MESSAGE]} end
if not epoch then
  if look then return {'read', '0', '', {}, {}, '', {}} end
  epoch = ARGV[1]
  redis.call('HSET', meta, 'e', epoch)
end
if not look then redis.call('PEXPIRE', meta, math.max(tonumber(ARGV[2]), m and 2 * m[ORPHAN] or 0)) end
local entries, fields, text, following = {}, {}, '', {}
-- Entries of a stream without a top belong to an epoch that is gone.
if ARGV[3] ~= '' and top > 0 then
  local range = {ARGV[3], stream, ARGV[4], ARGV[5]}
  if ARGV[6] ~= '-1' then range[5], range[6] = 'COUNT', ARGV[6] end
  entries = redis.call(unpack(range))
end
if m then
  local kept = redis.call('HMGET', meta, 'r', 'mt')
  fields = {m[MESSAGE], m[OFFSET], kept[1], m[FORMAT], m[RUN], m[INPUT], m[TAIL], kept[2]}
  if ARGV[7] == '1' then text = redis.call('GET', body) or '' end
  if m[OFFSET] < top then following = redis.call('XRANGE', stream, m[OFFSET] + 1, '+') end
end
return {'read', top, epoch, entries, fields, text, following}
