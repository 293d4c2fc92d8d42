-- The last place of a publication in each of its partitions, as {"3": 1201}, so that the publications whose submissions
-- are all applied can be told from the others without their places. An account has up to 1,000 publications of 500
-- submissions; reading them all took more than a second while the account waited to publish. Null in publications
-- before this migration, which are forgotten within a week, and in those of the previous version.
ALTER TABLE publications ADD COLUMN ends jsonb;
