import { parseEmailAddress } from '../../../schemas/email-address.ts';
import type { Identity } from '../../../store/console/people.ts';

const MAX_SUBJECT_LENGTH = 255;
const MAX_NAME_LENGTH = 200;
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]/gu;

/** The statements of a provider about a person, in an ID token or at its UserInfo endpoint. */
export interface Claims {
  readonly iss: string;
  /** The provider's name for the person, which never changes. */
  readonly sub: string;
  readonly [claim: string]: unknown;
}

/** Whether claims say everything that is needed, so that the provider need not be asked for more. */
export function areComplete({ email, email_verified: verified }: Claims): boolean {
  return email !== undefined && verified !== undefined;
}

/**
 * Reads a person from a provider's claims. Only a verified address counts.
 *
 * @param assumesVerified whether an address counts as verified if the claims do not say; one that they call
 *   unverified never does
 * @returns the person, or why the claims are not enough
 */
export function readIdentity(
  claims: Claims,
  assumesVerified: boolean,
): { identity: Identity } | { problem: 'no_address' | 'unverified_address' | 'no_subject' } {
  const { iss: issuer, sub: subject, email: given, email_verified: verified = assumesVerified } = claims;
  if (subject.length > MAX_SUBJECT_LENGTH || subject === '' || subject.includes('\0')) {
    return { problem: 'no_subject' };
  }
  const email = typeof given === 'string' ? parseEmailAddress(given) : null;
  if (email === null) return { problem: 'no_address' };
  // Some providers send the word instead of the value.
  if (verified !== true && verified !== 'true') return { problem: 'unverified_address' };
  const name = typeof claims.name === 'string' ? claims.name.replace(CONTROL, ' ').trim() : '';
  return { identity: { issuer, subject, email, name: name.slice(0, MAX_NAME_LENGTH).toWellFormed() } };
}
