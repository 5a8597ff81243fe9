-- Stores that a message shall stop (append streams 6.2). A repeated request changes nothing.
-- ARGV: message or '*', input or '*', cancel (the reason of an end by it as a JSON string, a line break, the cancel as JSON),
--       life of a cancel without a message ms, most of those, PUB/SUB channel, 'PUBLISH' or 'SPUBLISH'
-- Answers {'message', id, '1' when it is open}, {'due', message}, {'early'}, {'limited'} or {'none'}
local message, input, cancel = ARGV[1], ARGV[2], ARGV[3]
local now = store_time()
local m, _, _, first = find_open()
if m and due_of(m) <= now then return {'due', m[MESSAGE]} end
if m and (message == '*' or message == m[MESSAGE]) and (input == '*' or input == m[INPUT]) then
  if m[CANCEL] == '' then
    m[CANCEL], m[CANCEL_DEADLINE] = cancel, now + GRACE_MS
    keep_open(m)
    redis.call(ARGV[7], ARGV[6], '__c1:' .. m[MESSAGE])
  end
  return {'message', m[MESSAGE], '1'}
end

local function is_known(id, answers)
  local done = redis.call('HMGET', done_prefix .. id, 'e', 'i')
  return first and done[1] == first and (answers == '*' or answers == done[2])
end
if message ~= '*' then return is_known(message, input) and {'message', message, ''} or {'none'} end
if input == '*' then return {'none'} end

local waiting = redis.call('GET', input_prefix .. input)
if waiting and string.sub(waiting, 1, 1) == 'c' then return {'early'} end
if waiting and is_known(string.sub(waiting, 2), input) then return {'message', string.sub(waiting, 2), ''} end
redis.call('ZREMRANGEBYSCORE', early, '-inf', now)
if redis.call('ZCARD', early) >= tonumber(ARGV[5]) then return {'limited'} end
redis.call('SET', input_prefix .. input, 'c' .. cancel, 'PX', ARGV[4])
redis.call('ZADD', early, now + tonumber(ARGV[4]), input)
redis.call('PEXPIRE', early, ARGV[4])
return {'early'}
