-- Removes a letter for good, claimed or not; a hidden one counts as gone.
-- KEYS[1] stream, KEYS[2] states, KEYS[3] claim, KEYS[4] hidden letters; ARGV: id
-- Returns 1 when it was there.
if redis.call('ZSCORE', KEYS[4], ARGV[1]) then
  return 0
end
redis.call('HDEL', KEYS[2], ARGV[1])
redis.call('DEL', KEYS[3])
return redis.call('XDEL', KEYS[1], ARGV[1])
