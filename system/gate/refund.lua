-- KEYS meta debits due. ARGV intent owner.
local debit = redis.call('HGET', KEYS[2], ARGV[1])
if redis.call('HEXISTS', KEYS[1], 'epoch') == 0 or not debit then return {'ok'} end
local n, owner = string.match(debit, '^(%d+):%d+:(.*)$')
if owner ~= ARGV[2] then return {'ok'} end

redis.call('HDEL', KEYS[2], ARGV[1])
redis.call('ZREM', KEYS[3], ARGV[1])
redis.call('HINCRBY', KEYS[1], 'avail', n)
return {'ok'}
