import type { ClientBase, Pool } from 'pg';
import { generateToken, hashToken } from '../../schemas/console-token.ts';

/** How long a person may take at the provider, in minutes. */
export const SIGN_IN_MINUTES = 10;

/** A sign-in at a provider that has begun. */
export interface SignIn {
  /** The values that the provider sends back, and that its tokens carry. */
  state: string;
  nonce: string;
  /** The secret of PKCE. */
  codeVerifier: string;
  /** The page of the console to show afterwards. */
  returnTo: string;
  /** The hash of the invitation to accept, if there is one. */
  invitation: Buffer | null;
}

/**
 * Notes a sign-in that begins.
 *
 * @returns a token for the browser that begins it, of which only the hash is stored
 */
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
 * Takes the sign-in of a browser, so that it counts once. Another state leaves it, so that no other site can use it up.
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
