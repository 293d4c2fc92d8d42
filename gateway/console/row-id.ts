const FORM = /^[1-9]\d{0,8}$/;

/** The id of a row in an address or a form; null if no row could have it. */
export function readRowId(text: string | null | undefined): number | null {
  return text && FORM.test(text) ? Number(text) : null;
}
