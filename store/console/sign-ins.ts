import type { ClientBase, Pool } from 'pg';
import { generateToken, hashToken } from '../../schemas/console-token.ts';

/** The time limit for a person at the provider, in minutes. */
export const SIGN_IN_MINUTES = 10;

/** A sign-in in progress at a provider. */
export interface SignIn {
  /** The provider sends back `state`, and its tokens carry `nonce`. */
  state: string;
  nonce: string;
  /** The PKCE secret. */
  codeVerifier: string;
  /** The page of the console to show afterwards. */
  returnTo: string;
  /** The hash of the invitation to accept, if any. */
  invitation: Buffer | null;
}

/** Stores a new sign-in. @returns a token for its browser, stored only as a hash */
export async function beginSignIn(client: ClientBase | Pool, signIn: SignIn): Promise<string> {
  const { state, nonce, codeVerifier, returnTo, invitation } = signIn;
  const token = generateToken();
  await client.query(
    `INSERT INTO console_sign_ins (hash, state, nonce, code_verifier, return_to, invitation, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, now() + $7 * interval '1 minute')`,
    [hashToken(token), state, nonce, codeVerifier, returnTo, invitation, SIGN_IN_MINUTES],
  );
  return token;
}

/**
 * Takes the sign-in of a browser, so that it counts once. A wrong state leaves it, so that no other site can
 * use it up.
 *
 * @returns null if it was used, has expired, or has another state
 */
export async function takeSignIn(
  client: ClientBase | Pool,
  token: string,
  state: string,
): Promise<SignIn | null> {
  const { rows } = await client.query<SignIn>(
    `DELETE FROM console_sign_ins WHERE hash = $1 AND state = $2 AND expires_at > now()
     RETURNING state, nonce, code_verifier AS "codeVerifier", return_to AS "returnTo", invitation`,
    [hashToken(token), state],
  );
  return rows[0] ?? null;
}
