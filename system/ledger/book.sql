-- Books a batch. The versions were decided under the row lock that this transaction holds.
WITH asked AS (
    SELECT * FROM unnest($2::text[], $3::text[], $4::text[], $5::bytea[], $6::int[], $7::bigint[])
        AS r (account, key, intent, payload, quantity, version)
), booked AS (
    INSERT INTO booking (sale, account, key, payload, quantity, state, version)
    SELECT $1, account, key, payload, quantity, 'live', version FROM asked ORDER BY version
    RETURNING id, version
), logged AS (
    INSERT INTO ledger (sale, version, kind, intent, booking, seats)
    SELECT $1, version, 'book', intent, id, -quantity FROM asked JOIN booked USING (version) ORDER BY version
), moved AS (
    UPDATE sale SET free = free - (SELECT sum(quantity) FROM asked), version = version + (SELECT count(*) FROM asked) WHERE id = $1
)
SELECT version, id FROM booked
