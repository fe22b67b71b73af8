-- The row lock, and the time read after it was gained: the outer select runs only once the inner one has the lock.
WITH locked AS MATERIALIZED (
    SELECT id, capacity, free, version, state, per_account, opens_at FROM sale WHERE id = $1 FOR UPDATE
)
SELECT id, capacity, free, version, state, per_account, opens_at, clock_timestamp() FROM locked
