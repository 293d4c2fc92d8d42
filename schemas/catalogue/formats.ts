const DATE = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/;

/** Whether `text` is YYYY-MM-DD and names a day that the calendar has; there is no year 0000. */
export function isCalendarDate(text: string): boolean {
  const match = DATE.exec(text);
  if (!match || match[1] === '0000') return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  // The parser takes February 30 for March 2.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** Whether `text`, without the spaces around it, is an absolute http or https address. */
export function isHttpUrl(text: string): boolean {
  const trimmed = text.trim();
  return /^https?:\/\/\S+$/i.test(trimmed) && URL.canParse(trimmed);
}

/**
 * Whether `text` is what a source may be in a file: an http or https address, or words that are no address at all. Any
 * other address, such as `javascript:` or `ftp://`, is a mistake.
 */
export function isHttpUrlOrWords(text: string): boolean {
  return isHttpUrl(text) || !/^[a-z][a-z0-9+.-]*:\S/i.test(text.trim());
}
