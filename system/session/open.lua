-- KEYS: session, log-in bucket of the address. ARGV: account, life in milliseconds, interval and tolerance of log-ins in microseconds.
-- Answers {'ok', account} or {'limited', which, microseconds to wait}.
local now = clock()
local wait, login = gcra(KEYS[2], tonumber(ARGV[3]), tonumber(ARGV[4]), now)
if wait > 0 then return {'limited', 'login', wait} end

charge(KEYS[2], login, now)
redis.call('SET', KEYS[1], ARGV[1], 'PX', tonumber(ARGV[2]))
return {'ok', ARGV[1]}
