/**
 * The clients that share a part of a bound (INV-15): the programs of an account, by its id; its people in the console
 * (`console 12`), who do not wait for the programs; or all clients without a key or a session (null).
 */
export type Share = number | `console ${number}` | null;

/** The share of an account's people in the console. */
export const shareOfConsole = (accountId: number): Share => `console ${accountId}`;
