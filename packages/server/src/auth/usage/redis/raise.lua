-- Raises the moments of a hash: later ones stay. KEYS[1] hash; ARGV: field, moment, field, moment …
for index = 1, #ARGV, 2 do
  local stored = tonumber(redis.call('HGET', KEYS[1], ARGV[index]) or '0')
  if tonumber(ARGV[index + 1]) > stored then
    redis.call('HSET', KEYS[1], ARGV[index], ARGV[index + 1])
  end
end
return 1
