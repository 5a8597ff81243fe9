-- Keeps a claim for longer. KEYS[1] claim; ARGV: token of the claim, milliseconds
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return 0
end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
