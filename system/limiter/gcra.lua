-- gcra reads a bucket: how many microseconds to wait (0: allowed), and the value to store if the request is counted (nil: no limit).
local function gcra(key, interval, tolerance, now)
  if interval == 0 then return 0, nil end
  local tat = tonumber(redis.call('GET', key) or now)
  if tat > now + tolerance then tat = now + tolerance end
  if tat < now then tat = now end
  local after = tat + interval
  local wait = after - tolerance - now
  if wait > 0 then return wait, nil end
  return 0, after
end

-- charge counts the request in its bucket. A bucket that would be full again is the same as none, so its key may expire then.
local function charge(key, after, now)
  if after then
    redis.call('SET', key, string.format('%.0f', after), 'PX', math.ceil((after - now) / 1000))
  end
end

local function clock()
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000000 + tonumber(t[2])
end
