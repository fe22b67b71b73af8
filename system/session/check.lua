-- KEYS: session, address bucket. ARGV: prefix of account buckets, then interval and tolerance of account and of address, in microseconds.
-- Answers {'ok', account}, {'unknown'}, or {'limited', which, microseconds to wait}.
local now = clock()
local wait, address = gcra(KEYS[2], tonumber(ARGV[4]), tonumber(ARGV[5]), now)
if wait > 0 then return {'limited', 'address', wait} end

local name = redis.call('GET', KEYS[1])
if not name then
  charge(KEYS[2], address, now)
  return {'unknown'}
end

local bucket = ARGV[1] .. name
local wait, account = gcra(bucket, tonumber(ARGV[2]), tonumber(ARGV[3]), now)
if wait > 0 then return {'limited', 'account', wait} end

charge(KEYS[2], address, now)
charge(bucket, account, now)
return {'ok', name}
