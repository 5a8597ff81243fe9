-- Takes the exclusive right to replay a letter, for a while.
-- KEYS[1] stream, KEYS[2] states, KEYS[3] claim, KEYS[4] hidden letters; ARGV: id, token of the claim, milliseconds
-- Returns {item, state or false}, false when the letter is gone, hidden or claimed.
local entry = redis.call('XRANGE', KEYS[1], ARGV[1], ARGV[1])[1]
if not entry or redis.call('ZSCORE', KEYS[4], ARGV[1]) or not redis.call('SET', KEYS[3], ARGV[2], 'NX', 'PX', ARGV[3]) then
  return false
end
return { entry[2], redis.call('HGET', KEYS[2], ARGV[1]) }
