-- KEYS meta credits. ARGV change seats version.
local meta = redis.call('HMGET', KEYS[1], 'epoch', 'asof', 'floor')
if not meta[1] then return {'missing'} end
local version = tonumber(ARGV[3])
if version <= tonumber(meta[2]) or redis.call('HEXISTS', KEYS[2], ARGV[1]) == 1 then return {'ok'} end

redis.call('HSET', KEYS[2], ARGV[1], ARGV[3] .. ':' .. ARGV[2])
redis.call('HINCRBY', KEYS[1], 'avail', ARGV[2])
if version > tonumber(meta[3]) then redis.call('HSET', KEYS[1], 'floor', ARGV[3]) end
return {'ok'}
