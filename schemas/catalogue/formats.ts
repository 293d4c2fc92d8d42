const DATE = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/;

/** The day that was checked last. Most submissions of a batch name the same one, and a check takes two microseconds. */
let lastDay: string | null = null;

/** Whether `text` is a day of the calendar as YYYY-MM-DD. There is no year 0000. */
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
  // Date.parse takes February 30 for March 2.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** Whether `text` is an absolute http or https address, ignoring spaces around it. */
export function isHttpUrl(text: string): boolean {
  const trimmed = text.trim();
  return /^https?:\/\/\S+$/i.test(trimmed) && URL.canParse(trimmed);
}

/**
 * Whether `text` may be the source in a file: an http or https address, or words that are not an address. Any other
 * address, such as `javascript:` or `ftp://`, is a mistake. So is a blank text.
 */
export function isHttpUrlOrWords(text: string): boolean {
  const trimmed = text.trim();
  return isHttpUrl(text) || (trimmed !== '' && !/^[a-z][a-z0-9+.-]*:\S/i.test(trimmed));
}
