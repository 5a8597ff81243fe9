-- Removes a letter for good, claimed or not.
-- KEYS[1] stream, KEYS[2] replay states, KEYS[3] claim; ARGV: id
-- Returns 1 when it was there.
redis.call('HDEL', KEYS[2], ARGV[1])
redis.call('DEL', KEYS[3])
return redis.call('XDEL', KEYS[1], ARGV[1])
