-- Stores the new state of a letter, unless somebody changed it since it was read.
-- KEYS[1] stream, KEYS[2] states, KEYS[3] claim, KEYS[4] hidden letters; ARGV: id, state that was read or '', new state
-- Returns 1, 0 when the letter is gone, hidden or claimed, -1 when its state is another.
if
  #redis.call('XRANGE', KEYS[1], ARGV[1], ARGV[1]) == 0
  or redis.call('ZSCORE', KEYS[4], ARGV[1])
  or redis.call('EXISTS', KEYS[3]) == 1
then
  return 0
end
if (redis.call('HGET', KEYS[2], ARGV[1]) or '') ~= ARGV[2] then
  return -1
end
redis.call('HSET', KEYS[2], ARGV[1], ARGV[3])
return 1
