-- Marks a family revoked for a while, never for less than before.
-- KEYS[1] mark; ARGV: milliseconds
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[1]) then
  redis.call('SET', KEYS[1], '1', 'PX', ARGV[1])
end
return 1
