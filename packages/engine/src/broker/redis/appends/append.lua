-- Applies the operations of a request to a message, or opens it (append streams 3, 4, 9.1).
-- ARGV: message, producer, number of the first operation, operations, '1' to take over,
--       '' or format, run, input and orphan ms, each in a line, '*' when not said; orphan ms of the channel, most bytes of a document,
--       history TTL ms, history size, meta TTL ms, new epoch, PUB/SUB channel, 'PUBLISH' or 'SPUBLISH', rest of the record
--       of an end, then kind and bytes of each operation: t text, i item, o item with an open string, m meta,
--       s status ':' reason as a JSON string
-- Answers {'ok', seq, offset, epoch, status, size, duplicates, cancel, flags of a flush or '', deadline} or
-- {'due', open message}; a refusal, after which nothing has changed: {'numbers', open message, producer and seq, ended
-- message's producer, seq and status}, {'growth', skipped, tail, body length}, {'size', size}, {'differs'}
local FIRST = 16
local message, producer, seq, count, take_over = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), ARGV[5] == '1'
local said, ttl, meta_ttl, channel, command = ARGV[6], tonumber(ARGV[9]), tonumber(ARGV[11]), ARGV[13], ARGV[14]
local format, run, input, orphan = '*', '*', '*', '*'
if said ~= '' then format, run, input, orphan = string.match(said, '^(.*)\n(.*)\n(.*)\n(.*)$') end
local now = store_time()
local m, epoch, top, first = find_open()
if m and due_of(m) <= now then return {'due', m[MESSAGE]} end

local skip, flags = 0, 0
if m and m[MESSAGE] == message then
  local next_seq, is_other = m[SEQ] + 1, producer ~= m[PRODUCER]
  if (is_other and not (take_over and seq == next_seq)) or (count > 0 and seq > next_seq) then
    return {'numbers', message, m[PRODUCER], m[SEQ], '', '', ''}
  end
  if count > 0 then skip = math.min(count, next_seq - seq) end
  local differs = (format ~= '*' and format ~= m[FORMAT]) or (run ~= '*' and run ~= m[RUN])
    or (input ~= '*' and input ~= m[INPUT]) or (orphan ~= '*' and tonumber(orphan) ~= m[ORPHAN])
  if differs then return {'differs'} end
else
  local done = redis.call('HMGET', done_prefix .. message, 'e', 'p', 's', 'st', 'o', 'sz', 'c')
  local is_ended = done[1] and done[1] == first
  if is_ended and producer == done[2] and (count == 0 or seq + count - 1 <= tonumber(done[3])) then
    return {'ok', done[3], done[5], epoch, done[4], done[6], count, done[7], '', ''}
  end
  if is_ended or m or count == 0 or seq > 1 then
    local ended = is_ended and {done[2], done[3], done[4]} or {'', '', ''}
    if not m then return {'numbers', '', '', '', ended[1], ended[2], ended[3]} end
    return {'numbers', m[MESSAGE], m[PRODUCER], m[SEQ], ended[1], ended[2], ended[3]}
  end
  local function or_else(value, default) return value == '*' and default or value end
  format = or_else(format, 'text')
  flags = OPENED
  m = {
    message, producer, 0, 0, format == 'text' and 't' or 'c', 0, 0, 0, tonumber(or_else(orphan, ARGV[7])), '', 0,
    first or ARGV[12], format, or_else(run, ''), or_else(input, ''), ttl, ARGV[10], 0
  }
  m[HEAD_LENGTH] = #head_of(m, 'streaming', '')
end

local parts, tail, new_meta, ending = {}, m[TAIL], nil, nil
for index = skip, count - 1 do
  local kind, bytes = ARGV[FIRST + 2 * index], ARGV[FIRST + 2 * index + 1]
  if kind == 't' then
    if tail == 'c' then return {'growth', skip, m[TAIL], m[LENGTH]} end
    parts[#parts + 1] = bytes
  elseif kind == 'm' then
    new_meta = bytes
  elseif kind == 's' then
    ending = bytes
  else
    if tail == 't' then return {'growth', skip, m[TAIL], m[LENGTH]} end
    if tail == 'o' then parts[#parts + 1] = '"}' end
    if m[LENGTH] > 0 or #parts > 0 then parts[#parts + 1] = ',' end
    parts[#parts + 1] = bytes
    tail = kind == 'o' and 'o' or 'c'
  end
end
local added = #parts == 1 and parts[1] or table.concat(parts)
local object
if new_meta or ending then
  object = flags == 0 and redis.call('HGET', meta, 'mt') or nil
  if new_meta then
    -- The member's name, its colon and its comma are new with the first.
    m[HEAD_LENGTH] = m[HEAD_LENGTH] + #new_meta - (object and #object or -8)
    object = new_meta
  end
end
local size = m[HEAD_LENGTH] + m[LENGTH] + #added + #SUFFIX[tail]
if (#added > 0 or new_meta) and size > tonumber(ARGV[8]) then return {'size', size} end

-- From here on the request is applied.
if not epoch then
  epoch = ARGV[12]
  redis.call('HSET', meta, 'e', epoch)
end
-- Who waits for the message learns that its producer is fenced.
if m[PRODUCER] ~= producer then redis.call(command, channel, '__c1:' .. message) end
m[PRODUCER], m[DEADLINE], m[TTL], m[SIZE] = producer, now + m[ORPHAN], ttl, ARGV[10]
if skip < count then m[SEQ] = seq + count - 1 end
if flags == OPENED then
  redis.call('DEL', body)
  redis.call('HSET', meta, 'a', '1', 'r', top)
  local waiting = m[INPUT] ~= '' and redis.call('GET', input_prefix .. m[INPUT])
  if waiting and string.sub(waiting, 1, 1) == 'c' then
    m[CANCEL], m[CANCEL_DEADLINE] = string.sub(waiting, 2), now + GRACE_MS
    redis.call('DEL', input_prefix .. m[INPUT])
    redis.call('ZREM', early, m[INPUT])
  end
end
local status = 'streaming'
local is_flushed = flags == OPENED or #added > 0 or new_meta or ending
if is_flushed then
  local head, last = '', nil
  if ending then
    local colon = string.find(ending, ':', 1, true)
    status = string.sub(ending, 1, colon - 1)
    last = {status = status, reason = string.sub(ending, colon + 1), record = ARGV[15], flag = 0}
    head = head_of(m, status, last.reason, object)
    size = #head + m[LENGTH] + #added + #SUFFIX[tail]
  elseif flags == OPENED or new_meta then
    head = head_of(m, status, '', object)
  end
  flags = flush(m, epoch, added, tail, head, last, flags, channel, command)
  if new_meta and not ending then redis.call('HSET', meta, 'mt', new_meta) end
end
-- Lives that were prolonged a moment ago are long enough.
local prolongs = ending or now - m[PROLONGED] > math.min(1000, ttl / 16)
if prolongs then m[PROLONGED] = now end
if not ending then keep_open(m) end
if prolongs then
  if not ending then redis.call('PEXPIRE', body, math.max(ttl, 2 * m[ORPHAN])) end
  redis.call('PEXPIRE', stream, ttl)
  redis.call('PEXPIRE', meta, math.max(meta_ttl, 2 * m[ORPHAN]))
end
return {'ok', m[SEQ], m[OFFSET], epoch, status, size, skip, m[CANCEL], is_flushed and flags or '', m[DEADLINE]}
