-- Takes the next letter of a job, unless a stop was asked for. KEYS[1] letters, KEYS[2] mark of a stop
-- Returns {1, false} for a stop, else {0, id or false}.
if redis.call('EXISTS', KEYS[2]) == 1 then
  return { 1, false }
end
return { 0, redis.call('LPOP', KEYS[1]) }
