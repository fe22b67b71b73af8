-- KEYS meta. ARGV seats.
local avail = redis.call('HGET', KEYS[1], 'avail')
if not avail then return {'missing'} end
if tonumber(avail) >= tonumber(ARGV[1]) then return {avail} end

redis.call('HSET', KEYS[1], 'avail', ARGV[1])
return {ARGV[1]}
