-- When a key was last used, and who changed accounts, keys and plans.

-- Coarse: gateways note it about once a minute.
ALTER TABLE api_keys ADD COLUMN last_used_at timestamptz;

CREATE TABLE audit_log (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  occurred_at timestamptz NOT NULL DEFAULT now(),
  database_user text NOT NULL DEFAULT session_user,
  -- The user of the machine on which the command ran, where it is known.
  os_user text,
  action text NOT NULL,
  -- What was changed, such as "account acme" or "key 12".
  subject text NOT NULL,
  details jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(details) = 'object')
);
