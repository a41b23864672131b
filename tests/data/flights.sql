-- The original rows, which only the test writes.
CREATE TABLE flight (
    origin      TEXT NOT NULL,
    destination TEXT NOT NULL,
    delay       INTEGER NOT NULL,
    distance    INTEGER NOT NULL
);

-- What the messages make of them.
CREATE TABLE departures (
    airport  TEXT NOT NULL PRIMARY KEY,
    flights  INTEGER NOT NULL DEFAULT 0,
    delay    INTEGER NOT NULL DEFAULT 0,
    distance INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE arrivals (
    airport TEXT NOT NULL PRIMARY KEY,
    flights INTEGER NOT NULL DEFAULT 0,
    delay   INTEGER NOT NULL DEFAULT 0,
    earlier INTEGER NOT NULL DEFAULT 0
);
