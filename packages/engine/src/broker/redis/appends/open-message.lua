-- The open message of a channel, for the scripts of append streams (append streams 9.1). They begin with this text.
-- KEYS: stream, meta, body of the open message, prefix of ended messages, prefix of inputs, early cancels
-- In the meta hash, where one read and one write have everything: a: the channel has, or had, a message; an, ae: id and
-- offset of the newest ended one; b: the stream's first epoch, if it has got another one since (renew.lua). While one is
-- open: w its members as below, packed into one value, because each field that a script reads costs more than most
-- commands; r prior; mt meta, if it has one.
local stream, meta, body = KEYS[1], KEYS[2], KEYS[3]
local done_prefix, input_prefix, early = KEYS[4], KEYS[5], KEYS[6]
local SUFFIX = {t = '"}', o = '"}]}', c = ']}'}
local OPENED, ENDED, AFTER_STATE = 1, 2, 4
local ENDED_MS, GRACE_MS = 300000, 5000

local function store_time()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end

local MESSAGE, PRODUCER, SEQ, OFFSET, TAIL, LENGTH, HEAD_LENGTH = 1, 2, 3, 4, 5, 6, 7
local DEADLINE, ORPHAN, CANCEL, CANCEL_DEADLINE = 8, 9, 10, 11
local EPOCH, FORMAT, RUN, INPUT, TTL, SIZE, PROLONGED = 12, 13, 14, 15, 16, 17, 18

-- The open message or nil, the epoch or false, the top, and the first epoch or false, which is that of all messages. A
-- message without all its parts is lost; the next offset is left out, so that nobody can claim to have everything. With
-- `look` nothing is written.
local function find_open(look)
  local known = redis.call('HMGET', meta, 'e', 's', 'w', 'b')
  local epoch, top, first = known[1], tonumber(known[2] or '0'), known[4] or known[1]
  if not known[3] then return nil, epoch, top, first end
  local m = cmsgpack.unpack(known[3])
  if redis.call('STRLEN', body) == m[LENGTH] then return m, epoch, top, first end
  if look then return nil, epoch, top + 1, first end
  redis.call('DEL', body)
  redis.call('HDEL', meta, 'w', 'r', 'mt')
  return nil, epoch, redis.call('HINCRBY', meta, 's', 1), first
end

local function keep_open(m) redis.call('HSET', meta, 'w', cmsgpack.pack(m)) end

-- When the message is ended without its producer.
local function due_of(m)
  if m[CANCEL] ~= '' then return math.min(m[DEADLINE], m[CANCEL_DEADLINE]) end
  return m[DEADLINE]
end

-- The head of a document. `reason` is a JSON string, or empty; `object`: its meta, or nothing.
local function head_of(m, status, reason, object)
  local head = '{"id":"' .. m[MESSAGE] .. '","status":"' .. status .. '"'
  if reason ~= '' then head = head .. ',"reason":' .. reason end
  if m[RUN] ~= '' then head = head .. ',"run":"' .. m[RUN] .. '"' end
  if m[INPUT] ~= '' then head = head .. ',"input":"' .. m[INPUT] .. '"' end
  if object then head = head .. ',"meta":' .. object end
  return head .. (m[FORMAT] == 'text' and ',"text":"' or ',"items":[')
end

local function varint(number)
  local bytes = ''
  while number >= 128 do
    bytes = bytes .. string.char(number % 128 + 128)
    number = math.floor(number / 128)
  end
  return bytes .. string.char(number)
end

-- Keeps the last state as an entry of the stream, and remembers the message.
local function keep_ended(m, document, ending)
  local record = '\34' .. varint(#document) .. document .. ending.record
  redis.call('XADD', stream, 'MAXLEN', m[SIZE], m[OFFSET], 'd', record, 'p', redis.call('HGET', meta, 'r'))
  redis.call('DEL', body)
  redis.call('HDEL', meta, 'w', 'r', 'mt')
  redis.call('HSET', meta, 'an', m[MESSAGE], 'ae', m[OFFSET])
  local done, ttl = done_prefix .. m[MESSAGE], math.max(ENDED_MS, m[TTL])
  redis.call('DEL', done)
  redis.call('HSET', done, 'e', m[EPOCH], 'p', m[PRODUCER], 's', m[SEQ], 'st', ending.status, 're', ending.reason,
    'o', m[OFFSET], 'sz', #document, 'f', m[FORMAT], 'ru', m[RUN], 'i', m[INPUT], 'c', m[CANCEL])
  redis.call('PEXPIRE', done, ttl)
  if m[INPUT] ~= '' then redis.call('SET', input_prefix .. m[INPUT], 'm' .. m[MESSAGE], 'PX', ttl) end
end

-- Publishes the state after a growth. `head`: the new one, or empty. `ending`: status, reason (a JSON string, or empty),
-- the rest of the entry's record, and a flag for who ended it.
local function flush(m, epoch, added, tail, head, ending, flags, channel, command)
  local top = redis.call('HINCRBY', meta, 's', 1)
  -- The meta hash may have been evicted while the stream stayed: a new epoch must not see old offsets.
  if top == 1 then redis.call('DEL', stream) end
  if flags == 0 and m[OFFSET] == top - 1 then flags = AFTER_STATE end
  local from = m[LENGTH]
  m[OFFSET], m[TAIL], m[LENGTH] = top, tail, from + #added
  if ending then
    flags = flags + ENDED + ending.flag
    local before = from > 0 and redis.call('GET', body) or ''
    keep_ended(m, head .. before .. added .. SUFFIX[tail], ending)
  elseif #added > 0 then
    redis.call('APPEND', body, added)
  end
  redis.call(command, channel, '__a1:' .. top .. ':' .. epoch .. ':' .. m[MESSAGE] .. ':' .. from .. ':' .. tail .. ':' ..
    flags .. ':' .. #head .. ':' .. head .. ':' .. #added .. ':' .. added .. (ending and ending.record or ''))
  return flags
end
