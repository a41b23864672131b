-- The original rows, which only the test writes: `day` as in `Feb 1 2004`.
CREATE TABLE quote (
    symbol TEXT NOT NULL,
    day    TEXT NOT NULL,
    price  NUMERIC NOT NULL
);

CREATE TABLE month (
    name   TEXT NOT NULL PRIMARY KEY,
    number INTEGER NOT NULL
);

INSERT INTO month VALUES
    ('Jan', 1), ('Feb', 2), ('Mar', 3), ('Apr', 4), ('May', 5), ('Jun', 6),
    ('Jul', 7), ('Aug', 8), ('Sep', 9), ('Oct', 10), ('Nov', 11), ('Dec', 12);

-- Their dates as integers, read from the text in SQL: 20040201.
CREATE VIEW dated_quote AS
    SELECT symbol, day, price,
           CAST(substr(day, length(day) - 3) AS INTEGER) * 10000 + number * 100
               + CAST(substr(day, 5, length(day) - 9) AS INTEGER) AS date
    FROM quote JOIN month ON name = substr(day, 1, 3);

-- What the messages make of them.
CREATE TABLE last_price (
    symbol TEXT NOT NULL PRIMARY KEY,
    date   INTEGER NOT NULL,
    day    TEXT NOT NULL,
    price  NUMERIC NOT NULL
);
