-- Ends a claim. A letter that was discarded meanwhile stays gone.
-- KEYS[1] stream, KEYS[2] states, KEYS[3] claim, KEYS[4] hidden letters; ARGV: id, token of the claim, outcome, state
-- Outcomes: 'delivered' removes the letter, 'failed' keeps the state unless the claim is lost, 'untried' changes nothing.
if ARGV[3] == 'delivered' then
  redis.call('XDEL', KEYS[1], ARGV[1])
  redis.call('HDEL', KEYS[2], ARGV[1])
  redis.call('ZREM', KEYS[4], ARGV[1])
elseif
  ARGV[3] == 'failed'
  and redis.call('GET', KEYS[3]) == ARGV[2]
  and #redis.call('XRANGE', KEYS[1], ARGV[1], ARGV[1]) > 0
then
  redis.call('HSET', KEYS[2], ARGV[1], ARGV[4])
end
if redis.call('GET', KEYS[3]) == ARGV[2] then
  redis.call('DEL', KEYS[3])
end
return 1
