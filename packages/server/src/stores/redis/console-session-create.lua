-- Adds a session. KEYS: session. ARGV: milliseconds that it is kept, then names and values.
for at = 2, #ARGV, 2 do redis.call('HSET', KEYS[1], ARGV[at], ARGV[at + 1]) end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return 1
