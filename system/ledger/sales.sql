SELECT id, capacity, free, version, state, per_account, opens_at, clock_timestamp() FROM sale WHERE $1 OR state <> 'closed' ORDER BY id
