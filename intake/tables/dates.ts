import { isCalendarDate } from '../../schemas/catalogue/formats.ts';

/** A day as a person wrote it. The year can be missing. */
interface WrittenDay {
  year: number | null;
  month: number;
  day: number;
}

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const FULL_MONTHS =
  'january february march april may june july august september october november december'.split(' ');
const WEEKDAY = /^(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\.?,?\s+/i;
const NUMERIC = /^(\d{1,2})\s*([/.-])\s*(\d{1,2})\s*\2\s*(\d{4}|\d{2})$/;
const ISO = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$/;
const MONTH_FIRST = /^([a-z]+)\.?\s+(\d{1,2})(?:st|nd|rd|th)?(?:,?\s+(\d{4}))?$/i;
const DAY_FIRST = /^(\d{1,2})(?:st|nd|rd|th)?[\s-]+([a-z]+)\.?(?:[\s,-]+(\d{4}|\d{2}))?$/i;
const TIME = /[T\s]+\d{1,2}:\d{2}.*$/;
/** A longer text is not a date. It is not looked at, because the time for it grows with the square of its length. */
const MAX_LENGTH = 100;

/** Two digits of a year are of this century up to 69, as in spreadsheets. */
const readYear = (text: string): number =>
  text.length === 4 ? Number(text) : Number(text) + (Number(text) < 70 ? 2000 : 1900);

function readMonth(word: string): number | null {
  const name = word.toLowerCase();
  const at = FULL_MONTHS.findIndex(
    (month, index) => name === month || name === MONTHS[index] || (name === 'sept' && index === 8),
  );
  return at < 0 ? null : at + 1;
}

const format = (year: number, month: number, day: number): string =>
  [String(year).padStart(4, '0'), String(month).padStart(2, '0'), String(day).padStart(2, '0')].join('-');

/** The text of a day without its time and its day of the week. */
function trimDay(text: string): string {
  const trimmed = text.trim();
  return trimmed.length > MAX_LENGTH ? '' : trimmed.replace(TIME, '').replace(WEEKDAY, '').trim();
}

/** Reads a day, with the month first where both are numbers; null if the text is not a day. */
function readDay(given: string): WrittenDay | null {
  const text = trimDay(given);
  const [, isoYear = '', isoMonth, isoDay] = ISO.exec(text) ?? [];
  if (isoYear !== '') return { year: Number(isoYear), month: Number(isoMonth), day: Number(isoDay) };
  const [, month, , day, year = ''] = NUMERIC.exec(text) ?? [];
  if (month !== undefined) return { year: readYear(year), month: Number(month), day: Number(day) };
  const [, word = '', dayAfter, yearAfter] = MONTH_FIRST.exec(text) ?? [];
  const [, dayBefore, wordAfter = '', yearLast] = DAY_FIRST.exec(text) ?? [];
  const named = readMonth(word === '' ? wordAfter : word);
  if (named === null) return null;
  const lastYear = yearAfter ?? yearLast;
  return {
    year: lastYear === undefined ? null : readYear(lastYear),
    month: named,
    day: Number(dayAfter ?? dayBefore),
  };
}

/**
 * Reads a date as people in the United States write it: 11/3/26, 11-03-2026, Nov. 3, 2026, November 3, or 2026-11-03.
 *
 * @param latest completes a date without a year: the last such day that is not later than this one, YYYY-MM-DD
 * @returns YYYY-MM-DD; null if the text is no real date, or has no year and there is no `latest`
 */
export function readDate(text: string, latest: string | null = null): string | null {
  const read = readDay(text);
  if (read === null) return null;
  const { month, day } = read;
  let { year } = read;
  if (year === null) {
    if (latest === null) return null;
    year = Number(latest.slice(0, 4));
    if (format(year, month, day) > latest) year -= 1;
  }
  const date = format(year, month, day);
  return isCalendarDate(date) ? date : null;
}

/** Whether a text is a day without a year. It may be none of the year in question, as February 29 mostly is. */
export const lacksYear = (text: string): boolean => readDay(text)?.year === null;

/** The date of a text that can only be read with its day first, such as 25/12/2026; otherwise null. */
export function readDayFirst(text: string): string | null {
  const [, day, , month, year = ''] = NUMERIC.exec(trimDay(text)) ?? [];
  if (day === undefined || Number(day) <= 12) return null;
  const date = format(readYear(year), Number(month), Number(day));
  return isCalendarDate(date) ? date : null;
}

/** The two dates of a text that can be read with its month first and with its day first, such as 3/11/2026. */
export function readBothWays(text: string): [monthFirst: string, dayFirst: string] | null {
  const [, first, , second, year = ''] = NUMERIC.exec(trimDay(text)) ?? [];
  const [a, b] = [Number(first), Number(second)];
  return a <= 12 && b <= 12 && a !== b ? [format(readYear(year), a, b), format(readYear(year), b, a)] : null;
}
