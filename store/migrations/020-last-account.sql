-- The account that a person's console showed last, with which the next session begins.
ALTER TABLE people ADD COLUMN last_account_id integer REFERENCES accounts;
