-- KEYS meta debits due settled. ARGV intent n owner lease_ms.
local meta = redis.call('HMGET', KEYS[1], 'epoch', 'avail')
if not meta[1] then return {'missing'} end
if redis.call('HEXISTS', KEYS[2], ARGV[1]) == 1 then return {'held'} end
if redis.call('HEXISTS', KEYS[4], ARGV[1]) == 1 then return {'settled'} end
if tonumber(meta[2]) < tonumber(ARGV[2]) then return {'sold out'} end
local time = redis.call('TIME')
local deadline = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000) + ARGV[4])

redis.call('HINCRBY', KEYS[1], 'avail', -ARGV[2])
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2] .. ':' .. deadline .. ':' .. ARGV[3])
redis.call('ZADD', KEYS[3], deadline, ARGV[1])
return {'taken'}
