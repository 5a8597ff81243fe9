-- Stores the state of a job, and holds its sink for longer, or gives it free with 0. A job whose time is over stays gone.
-- KEYS[1] document, KEYS[2] lock of the sink, KEYS[3] letters
-- ARGV: id, document, milliseconds that the sink is held, milliseconds that the job is kept
redis.call('SET', KEYS[1], ARGV[2], 'XX', 'PX', ARGV[4])
redis.call('PEXPIRE', KEYS[3], ARGV[4])
if redis.call('GET', KEYS[2]) == ARGV[1] then
  if ARGV[3] == '0' then
    redis.call('DEL', KEYS[2])
  else
    redis.call('PEXPIRE', KEYS[2], ARGV[3])
  end
end
return 1
