-- KEYS: PUB/SUB channel; ARGV: message
return redis.call('PUBLISH', KEYS[1], ARGV[1])
