import { createHash, randomBytes } from 'node:crypto';

/*
 * The secrets of the console: of sessions, links, invitations and sign-ins. Each has 256 random bits as base64url, and
 * only its SHA-256 is stored.
 */
const BYTES = 32;
const FORM = /^[A-Za-z0-9_-]{43}$/;

export const generateToken = (): string => randomBytes(BYTES).toString('base64url');

export const isWellFormedToken = (text: string): boolean => FORM.test(text);

/** The SHA-256 of a token, 32 bytes: the stored form. */
export const hashToken = (text: string): Buffer => createHash('sha256').update(text).digest();
