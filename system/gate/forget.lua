-- KEYS meta debits due settled credits init.
redis.call('DEL', unpack(KEYS))
return {'ok'}
