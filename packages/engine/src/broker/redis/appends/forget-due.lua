-- Takes a channel off the list of those with an open message, unless another one opened meanwhile.
-- KEYS: due; ARGV: channel, score that was read
if redis.call('ZSCORE', KEYS[1], ARGV[1]) == ARGV[2] then redis.call('ZREM', KEYS[1], ARGV[1]) end
