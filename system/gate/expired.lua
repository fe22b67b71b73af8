-- KEYS debits due. ARGV limit. Answers like HGETALL of the debits, cut to those past their deadline, oldest first.
local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
local past = {}
for _, intent in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now, 'LIMIT', 0, ARGV[1])) do
    local debit = redis.call('HGET', KEYS[1], intent)
    if debit then
        past[#past + 1] = intent
        past[#past + 1] = debit
    end
end
return past
