CREATE TABLE IF NOT EXISTS sale (
    id          text        PRIMARY KEY,
    capacity    bigint      NOT NULL CONSTRAINT sale_capacity CHECK (capacity > 0),
    free        bigint      NOT NULL,
    version     bigint      NOT NULL DEFAULT 0 CONSTRAINT sale_version CHECK (version >= 0),
    state       text        NOT NULL CONSTRAINT sale_state CHECK (state IN ('scheduled', 'open', 'paused', 'closed')),
    per_account integer     NOT NULL CONSTRAINT sale_per_account CHECK (per_account > 0),
    opens_at    timestamptz,
    at          timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT sale_free CHECK (0 <= free AND free <= capacity)
) WITH (fillfactor = 10); -- room on the page: the hot row's updates stay heap-only

CREATE TABLE IF NOT EXISTS booking (
    id                bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    sale              text        NOT NULL REFERENCES sale (id),
    account           text        NOT NULL,
    key               text        NOT NULL,
    payload           bytea       NOT NULL,
    quantity          integer     NOT NULL CONSTRAINT booking_quantity CHECK (quantity > 0),
    state             text        NOT NULL CONSTRAINT booking_state CHECK (state IN ('live', 'cancelled')),
    version           bigint      NOT NULL,
    cancelled_version bigint,
    at                timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT booking_intent UNIQUE (sale, account, key),
    CONSTRAINT booking_cancelled CHECK ((state = 'cancelled') = (cancelled_version IS NOT NULL))
);

-- intent is the intent's id for book and cancel, the caller's change key for capacity. seats is the change of the sale's free seats.
CREATE TABLE IF NOT EXISTS ledger (
    sale    text        NOT NULL REFERENCES sale (id),
    version bigint      NOT NULL CONSTRAINT ledger_version CHECK (version > 0),
    kind    text        NOT NULL CONSTRAINT ledger_kind CHECK (kind IN ('book', 'cancel', 'capacity')),
    intent  text        NOT NULL,
    booking bigint      REFERENCES booking (id),
    seats   bigint      NOT NULL CONSTRAINT ledger_seats CHECK (seats <> 0),
    at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (sale, version),
    CONSTRAINT ledger_booking CHECK ((kind = 'capacity') = (booking IS NULL))
);

CREATE UNIQUE INDEX IF NOT EXISTS ledger_change ON ledger (sale, intent) WHERE kind = 'capacity';
