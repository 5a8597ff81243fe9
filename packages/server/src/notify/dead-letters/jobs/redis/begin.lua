-- Stores a new job. KEYS[1] document, KEYS[2] letters, KEYS[3] ids of jobs
-- ARGV: id, document, milliseconds that it is kept, letters …
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
for index = 4, #ARGV do
  redis.call('RPUSH', KEYS[2], ARGV[index])
end
redis.call('PEXPIRE', KEYS[2], ARGV[3])
redis.call('SADD', KEYS[3], ARGV[1])
return 1
