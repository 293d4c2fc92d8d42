/** A page of the console without anything that a browser could read as another site. */
const PAGE = /^\/console(\/[A-Za-z0-9._~%-]+)*(\?[A-Za-z0-9._~%&=+,:-]*)?$/;

/** Steps that a browser takes out of a path, however they are written. */
const STEP = /\/(\.|%2e){1,2}([/?]|$)/i;

export const HOME = '/console';

/** The page to show after signing in: the one that was asked for if it is one of the console, else the first page. */
export function safeReturnAddress(given: string | null): string {
  return given !== null && given.length <= 1000 && PAGE.test(given) && !STEP.test(given) ? given : HOME;
}
