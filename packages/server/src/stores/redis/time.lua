-- The store's clock. A script, so that on a cluster the node is asked that holds the service's keys.
-- KEYS[1] any key of the service
-- Returns Unix milliseconds, with a fraction.
local time = redis.call('TIME')
return string.format('%.3f', time[1] * 1000 + time[2] / 1000)
