/** Characters that JSON allows, and at which readers that follow Unicode break lines (`str.splitlines` of Python). */
const LINE_BREAKS = /[\u0085\u2028\u2029]/g;

/**
 * Escapes the line breaks of Unicode in JSON (contract, "Records"): such readers would split a Server-Sent Event or a
 * line of JSON there. Looking for each alone is faster than one look for all.
 */
export function escapeLineBreaks(json: string): string {
  if (!json.includes('\u2028') && !json.includes('\u2029') && !json.includes('\u0085')) return json;
  return json.replace(
    LINE_BREAKS,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The JSON of a value, as the service writes it. */
export function stringifyJson(value: unknown): string {
  return escapeLineBreaks(JSON.stringify(value));
}
