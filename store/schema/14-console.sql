-- The console: people, their roles, sessions and invitations. Only hashes of tokens are stored.

-- People with a sign-in at an OpenID provider.
CREATE TABLE people (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  issuer text NOT NULL,
  -- The provider's name for the person, which never changes.
  subject text NOT NULL,
  -- Verified by the provider, in lower case.
  email text NOT NULL,
  name text NOT NULL,
  is_operator boolean NOT NULL DEFAULT false,
  -- The last account in the person's console. The next session begins with it.
  last_account_id integer REFERENCES accounts,
  created_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (issuer, subject)
);

CREATE TABLE account_members (
  account_id integer NOT NULL REFERENCES accounts,
  person_id integer NOT NULL REFERENCES people,
  role text NOT NULL CHECK (role IN ('owner', 'member')),
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, person_id)
);
-- The accounts of a person.
CREATE INDEX account_members_by_person ON account_members (person_id);

-- Links that sign in once. A used link is deleted.
CREATE TABLE console_links (
  hash bytea PRIMARY KEY CHECK (length(hash) = 32),
  account_id integer NOT NULL REFERENCES accounts,
  role text NOT NULL CHECK (role IN ('owner', 'member', 'operator')),
  -- The name of the link's user in the audit log.
  person text NOT NULL CHECK (person <> ''),
  expires_at timestamptz NOT NULL
);

-- A session ends when its row is deleted.
CREATE TABLE console_sessions (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  hash bytea NOT NULL UNIQUE CHECK (length(hash) = 32),
  -- The account that its pages show.
  account_id integer NOT NULL REFERENCES accounts,
  -- Either a provider's person with a current role, or the name and the role from a link.
  person_id integer REFERENCES people,
  link_person text,
  link_role text CHECK (link_role IN ('owner', 'member', 'operator')),
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  CHECK ((person_id IS NULL) = (link_person IS NOT NULL)),
  CHECK ((link_person IS NULL) = (link_role IS NULL))
);
-- Finds a person's sessions, which end with a role.
CREATE INDEX console_sessions_by_person ON console_sessions (person_id);
-- Finds expired sessions to delete.
CREATE INDEX console_sessions_by_expiry ON console_sessions (expires_at);

CREATE TABLE console_invitations (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  hash bytea NOT NULL UNIQUE CHECK (length(hash) = 32),
  account_id integer NOT NULL REFERENCES accounts,
  -- In lower case. Only a person whose provider verified this address can accept.
  email text NOT NULL,
  role text NOT NULL CHECK (role IN ('owner', 'member', 'operator')),
  invited_by text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  accepted_at timestamptz
);
-- The invitations of an account.
CREATE INDEX console_invitations_by_account ON console_invitations (account_id);

-- Sign-ins in progress at a provider. The browser has the token of the hash.
CREATE TABLE console_sign_ins (
  hash bytea PRIMARY KEY CHECK (length(hash) = 32),
  state text NOT NULL,
  nonce text NOT NULL,
  code_verifier text NOT NULL,
  -- The page of the console to show afterwards.
  return_to text NOT NULL,
  -- The hash of the invitation to accept, if any.
  invitation bytea,
  expires_at timestamptz NOT NULL
);
