-- Gives a stream that was rewound a new epoch; its offsets go on (client protocol 11.5). Answers 1, and 0 if it has another
-- epoch than the one that was seen.
-- KEYS: meta
-- ARGV: epoch seen, new epoch
if redis.call('HGET', KEYS[1], 'e') ~= ARGV[1] then return 0 end
-- The messages of append streams are still those of the first epoch.
redis.call('HSETNX', KEYS[1], 'b', ARGV[1])
redis.call('HSET', KEYS[1], 'e', ARGV[2])
return 1
