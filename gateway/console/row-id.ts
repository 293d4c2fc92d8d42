const FORM = /^[1-9]\d{0,8}$/;

/** The id of a row that an address or a form names; null if it is none that a row could have. */
export function readRowId(text: string | null | undefined): number | null {
  return text && FORM.test(text) ? Number(text) : null;
}
