-- KEYS meta debits due settled. ARGV intent n version.
-- The debit, if there is one, goes back; the booking is subtracted unless asof covers its version or it was recorded before.
local meta = redis.call('HMGET', KEYS[1], 'epoch', 'asof', 'floor')
if not meta[1] then return {'missing'} end
local debit = redis.call('HGET', KEYS[2], ARGV[1])
local before = redis.call('HGET', KEYS[4], ARGV[1])
if before and string.match(before, '^(%d+):') ~= ARGV[3] then return redis.error_reply('ERR intent settled at another version') end
local version = tonumber(ARGV[3])
local back = 0
if debit then back = tonumber(string.match(debit, '^(%d+):')) end
local record = version > tonumber(meta[2]) and not before
if record then back = back - ARGV[2] end

if debit then
    redis.call('HDEL', KEYS[2], ARGV[1])
    redis.call('ZREM', KEYS[3], ARGV[1])
end
if record then redis.call('HSET', KEYS[4], ARGV[1], ARGV[3] .. ':' .. ARGV[2]) end
if back ~= 0 then redis.call('HINCRBY', KEYS[1], 'avail', back) end
if version > tonumber(meta[3]) then redis.call('HSET', KEYS[1], 'floor', ARGV[3]) end
return {'ok'}
