-- Functions that other areas use to order names and to print times.

-- Lower case without accents: decomposes letters and drops combining marks.
CREATE FUNCTION folded(value text) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN regexp_replace(lower(normalize(value, NFD)), '[\u0300-\u036f]', '', 'g');

-- The text by which lists order names, ignoring case and accents. Unlike folded(),
-- it also replaces letters with a stroke and ligatures, which Unicode does not decompose, and typographic
-- quotes and dashes. Hawaiian okinas have no counterpart and are dropped. Punctuation comes before digits,
-- and digits before letters. Composing the result again keeps it as short as the name, which bounds indexes
-- and cursors. Its columns have the collation "C", because rules of languages differ between servers, and
-- updates of them break indexes.
CREATE FUNCTION name_order(value text) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN translate(normalize(folded(value), NFC), 'ĐđĦħıŁłØøŦŧÆæŒœßÐðÞþ‘’“”‐‑–—ʻʼ', 'ddhhilloottaaoosddtt''''""----');

-- The text by which searches compare names, of a name and of what people type alike. Unlike name_order(), it spells out
-- ligatures and other compatible characters, and leaves out apostrophes, okinas and invisible characters. Any white
-- space is one space. A text of apostrophes or spaces alone becomes empty.
CREATE FUNCTION name_search(value text) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN trim(regexp_replace(regexp_replace(translate(name_order(normalize(
    replace(replace(replace(replace(replace(replace(replace(replace(translate(value, '´', ''),
      'ß', 'ss'), 'ẞ', 'ss'), 'Æ', 'ae'), 'æ', 'ae'), 'Œ', 'oe'), 'œ', 'oe'), 'Þ', 'th'), 'þ', 'th'), NFKC)),
    '''`‛′ʹʽʾʿˈꞌ', ''),
    '[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]', '', 'g'),
    '[\u0009-\u000d\u0085\u1680\u2028\u2029 ]+', ' ', 'g'));

-- A time as the interface prints it.
CREATE FUNCTION iso_utc(value timestamptz) RETURNS text
  LANGUAGE sql STABLE STRICT PARALLEL SAFE
  RETURN to_char(value AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
