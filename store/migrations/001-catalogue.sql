-- What is on the ballot: states, elections, contests, choices; and who endorses.
-- Spanish text stands beside the English in columns ending in _es.

CREATE FUNCTION folded(value text) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  -- Lower case without accents, for name searches: decompose, drop combining marks.
  RETURN regexp_replace(lower(normalize(value, NFD)), '[\u0300-\u036f]', '', 'g');

CREATE FUNCTION iso_utc(value timestamptz) RETURNS text
  LANGUAGE sql STABLE STRICT PARALLEL SAFE
  RETURN to_char(value AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

CREATE TABLE states (
  code text PRIMARY KEY CHECK (code ~ '^[A-Z]{2}$'),
  fips text NOT NULL UNIQUE CHECK (fips ~ '^[0-9]{2}$'),
  name text NOT NULL UNIQUE
);

INSERT INTO states (code, fips, name) VALUES
  ('AK', '02', 'Alaska'),
  ('AL', '01', 'Alabama'),
  ('AR', '05', 'Arkansas'),
  ('AS', '60', 'American Samoa'),
  ('AZ', '04', 'Arizona'),
  ('CA', '06', 'California'),
  ('CO', '08', 'Colorado'),
  ('CT', '09', 'Connecticut'),
  ('DC', '11', 'District of Columbia'),
  ('DE', '10', 'Delaware'),
  ('FL', '12', 'Florida'),
  ('GA', '13', 'Georgia'),
  ('GU', '66', 'Guam'),
  ('HI', '15', 'Hawaii'),
  ('IA', '19', 'Iowa'),
  ('ID', '16', 'Idaho'),
  ('IL', '17', 'Illinois'),
  ('IN', '18', 'Indiana'),
  ('KS', '20', 'Kansas'),
  ('KY', '21', 'Kentucky'),
  ('LA', '22', 'Louisiana'),
  ('MA', '25', 'Massachusetts'),
  ('MD', '24', 'Maryland'),
  ('ME', '23', 'Maine'),
  ('MI', '26', 'Michigan'),
  ('MN', '27', 'Minnesota'),
  ('MO', '29', 'Missouri'),
  ('MP', '69', 'Northern Mariana Islands'),
  ('MS', '28', 'Mississippi'),
  ('MT', '30', 'Montana'),
  ('NC', '37', 'North Carolina'),
  ('ND', '38', 'North Dakota'),
  ('NE', '31', 'Nebraska'),
  ('NH', '33', 'New Hampshire'),
  ('NJ', '34', 'New Jersey'),
  ('NM', '35', 'New Mexico'),
  ('NV', '32', 'Nevada'),
  ('NY', '36', 'New York'),
  ('OH', '39', 'Ohio'),
  ('OK', '40', 'Oklahoma'),
  ('OR', '41', 'Oregon'),
  ('PA', '42', 'Pennsylvania'),
  ('PR', '72', 'Puerto Rico'),
  ('RI', '44', 'Rhode Island'),
  ('SC', '45', 'South Carolina'),
  ('SD', '46', 'South Dakota'),
  ('TN', '47', 'Tennessee'),
  ('TX', '48', 'Texas'),
  ('UT', '49', 'Utah'),
  ('VA', '51', 'Virginia'),
  ('VI', '78', 'Virgin Islands'),
  ('VT', '50', 'Vermont'),
  ('WA', '53', 'Washington'),
  ('WI', '55', 'Wisconsin'),
  ('WV', '54', 'West Virginia'),
  ('WY', '56', 'Wyoming');

CREATE TABLE elections (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  slug text NOT NULL UNIQUE CHECK (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'),
  name text NOT NULL,
  name_es text,
  short_name text,
  short_name_es text,
  date date NOT NULL,
  state text NOT NULL REFERENCES states,
  type text NOT NULL
    CHECK (type IN ('general', 'primary', 'special', 'special_primary', 'runoff', 'consolidated')),
  primary_system text
    CHECK (primary_system IN ('none', 'closed', 'semi_closed', 'open', 'top_two', 'nonpartisan')),
  info_url text,
  details jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(details) = 'object'),
  source jsonb
);
CREATE INDEX elections_by_date ON elections (date, slug);
CREATE INDEX elections_by_state ON elections (state, date, slug);

CREATE TABLE endorser_categories (
  slug text PRIMARY KEY CHECK (slug ~ '^[a-z0-9]+([-_][a-z0-9]+)*$'),
  name text NOT NULL,
  name_es text,
  singular_name text,
  singular_name_es text
);

CREATE TABLE endorsers (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  slug text NOT NULL UNIQUE CHECK (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'),
  name text NOT NULL,
  category text NOT NULL REFERENCES endorser_categories,
  -- A USPS code, or null for an endorser that works nationwide; shown as the word "national".
  state text REFERENCES states,
  description text,
  description_es text,
  website_url text,
  logo_url text,
  details jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(details) = 'object'),
  source jsonb,
  name_folded text GENERATED ALWAYS AS (folded(name)) STORED
);
CREATE INDEX endorsers_by_name ON endorsers (name, id);
CREATE INDEX endorsers_by_category ON endorsers (category);
CREATE INDEX endorsers_by_state ON endorsers (state);

CREATE TABLE districts (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  ocd_id text,
  name text NOT NULL,
  name_es text,
  level text NOT NULL CHECK (level IN ('federal', 'state', 'county', 'city', 'school', 'special')),
  type text NOT NULL,
  -- Null for a district that is the whole nation.
  state text REFERENCES states
);
-- One division can be several districts (a county's part of an assembly district elects a party committee),
-- so a division id alone names none. Where there is no division id, the name takes its place.
CREATE UNIQUE INDEX districts_identity ON districts (COALESCE(ocd_id, name), (ocd_id IS NULL), level, type, COALESCE(state, ''));
CREATE INDEX districts_by_ocd_id ON districts (ocd_id);
CREATE INDEX districts_by_level ON districts (level);

CREATE TABLE contests (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- Election slug, slash, contest slug: how files and submissions name a contest.
  key text NOT NULL UNIQUE,
  election_id integer NOT NULL REFERENCES elections,
  district_id integer NOT NULL REFERENCES districts,
  title text NOT NULL,
  title_es text,
  short_title text NOT NULL,
  short_title_es text,
  description text,
  description_es text,
  kind text NOT NULL CHECK (kind IN ('candidate', 'measure', 'retention')),
  vote_method text NOT NULL
    CHECK (vote_method IN ('plurality', 'multi_seat', 'ranked_choice', 'approval', 'yes_no')),
  -- Null where the source does not say.
  votes_allowed integer CHECK (votes_allowed > 0),
  ranks_allowed integer CHECK (ranks_allowed > 0),
  measure_code text,
  ballot_order integer NOT NULL,
  source_url text,
  details jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(details) = 'object'),
  source jsonb,
  -- Set when an import of the contest's election no longer has it. The row stays, so that the id is the same
  -- should the contest come back; no endorsement refers to it meanwhile.
  removed_at timestamptz
);
CREATE INDEX contests_by_election ON contests (election_id, ballot_order) WHERE removed_at IS NULL;
CREATE INDEX contests_by_district ON contests (district_id) WHERE removed_at IS NULL;
CREATE INDEX contests_by_kind ON contests (kind) WHERE removed_at IS NULL;

CREATE TABLE candidates (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  contest_id integer NOT NULL REFERENCES contests,
  -- Tells candidates of one contest apart: the full name, unless the source gives a key of its own.
  -- One candidate on several party lines is one row; one name in two contests is two.
  key text NOT NULL,
  full_name text NOT NULL,
  UNIQUE (contest_id, key),
  UNIQUE (id, contest_id)
);

CREATE TABLE choices (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  contest_id integer NOT NULL REFERENCES contests,
  key text NOT NULL,
  label text NOT NULL,
  label_es text,
  measure_answer text CHECK (measure_answer IN ('yes', 'no')),
  candidate_id integer,
  party text,
  party_label text,
  party_label_es text,
  option text CHECK (option IN ('none_of_these')),
  withdrawn boolean NOT NULL DEFAULT false,
  ballot_designation text,
  ballot_designation_es text,
  ballot_order integer NOT NULL,
  details jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(details) = 'object'),
  removed_at timestamptz,
  UNIQUE (contest_id, key),
  UNIQUE (id, contest_id),
  FOREIGN KEY (candidate_id, contest_id) REFERENCES candidates (id, contest_id)
);
CREATE INDEX choices_by_contest ON choices (contest_id, ballot_order) WHERE removed_at IS NULL;
