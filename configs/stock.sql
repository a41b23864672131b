-- The tables of stock.yaml, for SQLite and PostgreSQL.
CREATE TABLE inventory (
    sku      TEXT NOT NULL PRIMARY KEY,
    on_hand  INTEGER NOT NULL DEFAULT 0 CHECK (on_hand >= 0),
    reserved INTEGER NOT NULL DEFAULT 0 CHECK (reserved >= 0)
);

CREATE TABLE shipments (
    order_id   TEXT NOT NULL,
    sku        TEXT NOT NULL,
    kind       TEXT NOT NULL,
    created_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
    UNIQUE (order_id, sku, kind)
);
