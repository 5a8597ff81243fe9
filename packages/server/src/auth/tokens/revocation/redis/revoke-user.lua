-- Moves the cutoff of a user forward, never back, and keeps it for a while from now.
-- KEYS[1] cutoff; ARGV: cutoff in Unix nanoseconds, milliseconds to keep
-- Nanoseconds do not fit a double: they are compared as text.
local cutoff = ARGV[1]
local known = redis.call('GET', KEYS[1])
if known and string.match(known, '^%d+$') then
  if #known > #cutoff or (#known == #cutoff and known > cutoff) then
    cutoff = known
  end
end
-- An earlier revocation may have been asked to last longer.
local left = redis.call('PTTL', KEYS[1])
redis.call('SET', KEYS[1], cutoff, 'PX', string.format('%.0f', math.max(left, tonumber(ARGV[2]))))
return cutoff
