-- The decisions of people about names in tables: what a text means. An account has a list of its own, and the
-- operators a common one.

CREATE TABLE intake_aliases (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- Null for the operators' list.
  account_id integer REFERENCES accounts,
  kind text NOT NULL CHECK (kind IN ('endorser', 'contest', 'choice')),
  -- The contest's key for a choice, the election's slug for a contest or for a contest and choice together, and empty for an endorser.
  scope text NOT NULL,
  -- The folded words of the text.
  text text NOT NULL,
  -- A slug, a contest's key, or a choice's key.
  key text NOT NULL,
  decided_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT one_meaning_per_text UNIQUE NULLS NOT DISTINCT (account_id, kind, scope, text)
);
