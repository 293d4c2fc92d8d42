import { parseEmailAddress } from '../../../schemas/email-address.ts';
import type { Identity } from '../../../store/console/people.ts';

const MAX_SUBJECT_LENGTH = 255;
const MAX_NAME_LENGTH = 200;
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]/gu;

/** A provider's claims about a person, from an ID token or the UserInfo endpoint. */
export interface Claims {
  readonly iss: string;
  /** The provider's permanent id for the person. */
  readonly sub: string;
  readonly [claim: string]: unknown;
}

/** Whether the claims are complete, so that the UserInfo endpoint is not needed. */
export function areComplete({ email, email_verified: verified }: Claims): boolean {
  return email !== undefined && verified !== undefined;
}

/**
 * Reads a person from a provider's claims. Only a verified address counts.
 *
 * @param assumesVerified whether an address counts as verified if the claims do not say; an address that they call
 * unverified never counts
 * @returns the person, or the reason why the claims are not enough
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
  // Some providers send the text "true" instead of the boolean.
  if (verified !== true && verified !== 'true') return { problem: 'unverified_address' };
  const name = typeof claims.name === 'string' ? claims.name.replace(CONTROL, ' ').trim() : '';
  return { identity: { issuer, subject, email, name: name.slice(0, MAX_NAME_LENGTH).toWellFormed() } };
}
