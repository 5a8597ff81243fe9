-- Adds or refreshes an entry (client protocol 16.6). KEYS: data, expiry; ARGV: client, info, TTL s
-- Time is the store's own: nodes may disagree about it.
local now = tonumber(redis.call('TIME')[1])
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('EXPIRE', KEYS[1], ARGV[3])
redis.call('ZADD', KEYS[2], now + tonumber(ARGV[3]), ARGV[1])
redis.call('EXPIRE', KEYS[2], ARGV[3])
