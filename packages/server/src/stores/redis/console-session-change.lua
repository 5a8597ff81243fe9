-- Changes members of a session that is known. KEYS: session. ARGV: milliseconds that it is kept, then names and values.
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
for at = 2, #ARGV, 2 do redis.call('HSET', KEYS[1], ARGV[at], ARGV[at + 1]) end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return 1
