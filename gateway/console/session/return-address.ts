/** A path of the console, without characters that a browser could read as another site. */
const PAGE = /^\/console(\/[A-Za-z0-9._~%@:-]+)*(\?[A-Za-z0-9._~%&=+,:-]*)?$/;

/** The encodings of `.` and `..`, which browsers resolve. */
const STEP = /\/(\.|%2e){1,2}([/?]|$)/i;

export const HOME = '/console';

/** The page to show after signing in: the requested one if it belongs to the console, otherwise the first page. */
export function safeReturnAddress(given: string | null): string {
  return given !== null && given.length <= 1000 && PAGE.test(given) && !STEP.test(given) ? given : HOME;
}
