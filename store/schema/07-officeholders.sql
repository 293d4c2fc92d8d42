-- Present officeholders, from the last load of the public source.

CREATE TABLE officeholders (
  -- The source's own id, which a person keeps across terms and offices.
  person_id uuid PRIMARY KEY,
  name text NOT NULL,
  given_name text,
  family_name text,
  party text,
  party_abbreviation text,
  phone text,
  email text,
  website_url text,
  image_url text,
  offices jsonb NOT NULL CHECK (jsonb_typeof(offices) = 'array'),
  social jsonb NOT NULL CHECK (jsonb_typeof(social) = 'object'),
  source_urls jsonb NOT NULL CHECK (jsonb_typeof(source_urls) = 'array'),
  -- The state's folder in the source. A load replaces only the people of its folders.
  place text NOT NULL CHECK (place ~ '^[a-z]{2}$'),
  updated_at timestamptz NOT NULL,
  name_order text COLLATE "C" GENERATED ALWAYS AS (name_order(name)) STORED,
  name_search text COLLATE "C" GENERATED ALWAYS AS (name_search(name)) STORED
);
-- The order of the list of officeholders.
CREATE INDEX officeholders_in_order ON officeholders (name_order, person_id);
-- A load finds the people of its folders.
CREATE INDEX officeholders_by_place ON officeholders (place);

CREATE TABLE officeholder_seats (
  person_id uuid NOT NULL REFERENCES officeholders,
  -- 1, 2, 3...: a person's seats, the highest first.
  rank integer NOT NULL CHECK (rank > 0),
  office text NOT NULL CHECK (office IN ('us_senator', 'us_representative', 'governor', 'lieutenant_governor',
    'attorney_general', 'secretary_of_state', 'chief_election_officer', 'treasurer', 'auditor', 'state_senator',
    'state_representative', 'state_legislator', 'city_council')),
  office_title text NOT NULL,
  level text NOT NULL CHECK (level IN ('federal', 'state', 'city')),
  state text NOT NULL REFERENCES states,
  district text NOT NULL,
  -- No reference to districts: reads search for the district, because the catalogue may be loaded later.
  district_ocd_id text NOT NULL,
  term_start date,
  term_end date,
  PRIMARY KEY (person_id, rank),
  UNIQUE (person_id, office, state, district)
);
-- Filters of the list of officeholders.
CREATE INDEX officeholder_seats_by_state ON officeholder_seats (state, person_id);
CREATE INDEX officeholder_seats_by_office ON officeholder_seats (office, person_id);
CREATE INDEX officeholder_seats_by_district ON officeholder_seats (district_ocd_id, person_id);

-- One row after the first load. Without it, the interface reports officeholders as unavailable.
CREATE TABLE officeholder_load (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  loaded_at timestamptz NOT NULL
);

CREATE TRIGGER noted_change AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON officeholders
  FOR EACH STATEMENT EXECUTE FUNCTION note_data_change('officeholders');
CREATE TRIGGER noted_change AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON officeholder_seats
  FOR EACH STATEMENT EXECUTE FUNCTION note_data_change('officeholders');
CREATE TRIGGER noted_change AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON officeholder_load
  FOR EACH STATEMENT EXECUTE FUNCTION note_data_change('officeholders');
