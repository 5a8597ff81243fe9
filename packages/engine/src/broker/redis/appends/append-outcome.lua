-- Claims the sink of an ended message, or stores its outcome (append streams 10.4). The scripts' common text goes before.
-- ARGV: message, outcome or '' to claim, how long a claim lasts ms
-- Answers {'none'}, {'claimed'} or {'known', outcome}
local done = done_prefix .. ARGV[1]
local known = redis.call('HMGET', done, 'e', 'x', 'xe')
local epochs = redis.call('HMGET', meta, 'b', 'e')
if not known[1] or known[1] ~= (epochs[1] or epochs[2]) then return {'none'} end
if ARGV[2] ~= '' then
  redis.call('HSET', done, 'x', ARGV[2])
  return {'known', ARGV[2]}
end
local now = store_time()
if known[2] and (known[2] ~= 'pending' or tonumber(known[3]) > now) then return {'known', known[2]} end
redis.call('HSET', done, 'x', 'pending', 'xe', now + tonumber(ARGV[3]))
return {'claimed'}
