SELECT id, capacity, free, version, state, per_account, opens_at, clock_timestamp() FROM sale WHERE id = $1
