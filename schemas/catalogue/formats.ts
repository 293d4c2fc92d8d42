const DATE = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/;

/** The last checked day. Most submissions of a batch name the same day, and a check takes two microseconds. */
let lastDay: string | null = null;

/** Whether `text` is a day of the calendar as YYYY-MM-DD. The year 0000 does not exist. */
export function isCalendarDate(text: string): boolean {
  if (text === lastDay) return true;
  if (!isDay(text)) return false;
  lastDay = text;
  return true;
}

function isDay(text: string): boolean {
  const match = DATE.exec(text);
  if (!match || match[1] === '0000') return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  // Date.parse reads February 30 as March 2.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** Whether `text` is an absolute http or https address, ignoring spaces around it. */
export function isHttpUrl(text: string): boolean {
  const trimmed = text.trim();
  return /^https?:\/\/\S+$/i.test(trimmed) && URL.canParse(trimmed);
}

/**
 * Whether `text` may be the source in a file: an http or https address, or words that are not an address.
 * Other addresses, such as `javascript:` or `ftp://`, and blank texts are mistakes.
 */
export function isHttpUrlOrWords(text: string): boolean {
  const trimmed = text.trim();
  return isHttpUrl(text) || (trimmed !== '' && !/^[a-z][a-z0-9+.-]*:\S/i.test(trimmed));
}
