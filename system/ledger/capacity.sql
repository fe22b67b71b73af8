-- Changes the capacity at $4, the version after the one that the held row lock showed.
WITH logged AS (
    INSERT INTO ledger (sale, version, kind, intent, seats) VALUES ($1, $4, 'capacity', $2, $3)
)
UPDATE sale SET capacity = capacity + $3, free = free + $3, version = $4 WHERE id = $1
