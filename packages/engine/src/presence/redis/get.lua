-- Answers all entries as client, info, client, info… (client protocol 16.6). KEYS: data, expiry
local now = redis.call('TIME')[1]
for _, client in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now)) do
  redis.call('HDEL', KEYS[1], client)
end
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
return redis.call('HGETALL', KEYS[1])
