-- Endorsers and their categories, as imports of the catalogue write them.

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
  -- A USPS code, or null for a nationwide endorser, shown as the word "national".
  state text REFERENCES states,
  description text,
  description_es text,
  website_url text,
  logo_url text,
  details jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(details) = 'object'),
  source jsonb,
  name_order text COLLATE "C" GENERATED ALWAYS AS (name_order(name)) STORED,
  name_search text COLLATE "C" GENERATED ALWAYS AS (name_search(name)) STORED
);
-- The order of the list of endorsers.
CREATE INDEX endorsers_in_order ON endorsers (name_order, id);
-- Filters of that list, and of lists of endorsements.
CREATE INDEX endorsers_by_category ON endorsers (category);
CREATE INDEX endorsers_by_state ON endorsers (state);

CREATE TRIGGER noted_change AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON endorser_categories
  FOR EACH STATEMENT EXECUTE FUNCTION note_data_change('catalogue');
CREATE TRIGGER noted_change AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON endorsers
  FOR EACH STATEMENT EXECUTE FUNCTION note_data_change('catalogue');
