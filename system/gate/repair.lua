-- KEYS meta debits due settled credits. ARGV epoch free version.
local meta = redis.call('HMGET', KEYS[1], 'epoch', 'asof', 'floor')
local version = tonumber(ARGV[3])
if meta[1] ~= ARGV[1] or version < tonumber(meta[2]) then return {'discarded'} end
local avail = tonumber(ARGV[2])
local debits = redis.call('HGETALL', KEYS[2])
for i = 2, #debits, 2 do avail = avail - tonumber(string.match(debits[i], '^(%d+):')) end
local covered = {}
for k = 4, 5 do
    local sign = k == 4 and -1 or 1
    local changes = redis.call('HGETALL', KEYS[k])
    for i = 1, #changes, 2 do
        local at, seats = string.match(changes[i + 1], '^(%d+):(-?%d+)$')
        if tonumber(at) > version then
            avail = avail + sign * tonumber(seats)
        else
            covered[#covered + 1] = {KEYS[k], changes[i]}
        end
    end
end
local strayed = redis.call('ZCARD', KEYS[3]) ~= #debits / 2

for _, c in ipairs(covered) do redis.call('HDEL', c[1], c[2]) end
if strayed then -- an eviction took part of it
    redis.call('DEL', KEYS[3])
    for i = 1, #debits, 2 do redis.call('ZADD', KEYS[3], string.match(debits[i + 1], '^%d+:(%d+):'), debits[i]) end
end
redis.call('HSET', KEYS[1], 'avail', string.format('%.0f', avail), 'asof', ARGV[3])
if version > tonumber(meta[3]) then redis.call('HSET', KEYS[1], 'floor', ARGV[3]) end
return {'ok'}
