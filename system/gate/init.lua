-- KEYS meta debits due settled credits init. ARGV free version epoch. What an eviction may have left of the other keys goes with it.
if redis.call('HEXISTS', KEYS[1], 'epoch') == 1 then return {'there'} end

redis.call('DEL', unpack(KEYS))
redis.call('HSET', KEYS[1], 'epoch', ARGV[3], 'asof', ARGV[2], 'floor', ARGV[2], 'avail', ARGV[1])
return {'ok'}
