/** Writes numbers as pages show them: 12,345. */
export const number = new Intl.NumberFormat('en-US');
