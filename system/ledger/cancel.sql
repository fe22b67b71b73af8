-- Cancels a booking at $4, the version after the one that the held row lock showed.
WITH cancelled AS (
    UPDATE booking SET state = 'cancelled', cancelled_version = $4 WHERE id = $1 AND state = 'live' RETURNING id, quantity
), logged AS (
    INSERT INTO ledger (sale, version, kind, intent, booking, seats) SELECT $2, $4, 'cancel', $3, id, quantity FROM cancelled
)
UPDATE sale SET free = free + cancelled.quantity, version = $4 FROM cancelled WHERE sale.id = $2
