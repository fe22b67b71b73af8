-- KEYS meta debits.
local meta = redis.call('HMGET', KEYS[1], 'epoch', 'asof', 'floor', 'avail')
if not meta[1] then return {} end
return {meta[1], meta[2], meta[3], meta[4], redis.call('HGETALL', KEYS[2])}
