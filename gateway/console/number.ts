/** Formats numbers: 12,345. */
export const number = new Intl.NumberFormat('en-US');
