-- Searches compare names as lists order them.
COMMENT ON COLUMN endorsers.name_folded IS 'Only programs of earlier versions read this.';
COMMENT ON COLUMN officeholders.name_folded IS 'Only programs of earlier versions read this.';
