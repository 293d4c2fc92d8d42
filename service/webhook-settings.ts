import { type Environment, parseAddress, readInteger, readText, SettingError } from './environment.ts';
import { createSeal, type Seal } from './sealing.ts';
import { readSecret } from './secret.ts';

/** The setting without which webhooks are off. */
export const WEBHOOK_KEY_SETTING = 'WEBHOOK_SECRET_KEY';

/** The purpose of sealed texts of webhooks. A text belongs to its account, so that it cannot be moved to another one. */
export const sealPurpose = (accountId: number): string => `webhooks of account ${accountId}`;

/** The settings of webhooks, which gateways and the consumers' role `deliver` share. */
export interface WebhookSettings {
  /** Seals the secrets with which deliveries are signed. */
  seal: Seal;
  /** Whether webhooks may lead to private addresses, by http and to any port. */
  allowPrivate: boolean;
  /** The proxy through which deliveries leave; null for none. */
  proxy: URL | null;
  /** The operator's address that is told of webhooks that the service disables; null for none. */
  noticeUrl: URL | null;
}

/**
 * Reads the settings of webhooks.
 *
 * @returns null if WEBHOOK_SECRET_KEY is not set: webhooks are off
 * @throws SettingError if a setting is invalid
 */
export function readWebhookSettings(env: Environment): WebhookSettings | null {
  const allowPrivate = readInteger(env, 'ALLOW_PRIVATE_WEBHOOKS', { min: 0, max: 1 }) === 1;
  const proxy = readProxy(env);
  const noticeUrl = readNoticeUrl(env);
  const secret = readSecret(env, WEBHOOK_KEY_SETTING);
  return secret && { seal: createSeal(secret), allowPrivate, proxy, noticeUrl };
}

function readNoticeUrl(env: Environment): URL | null {
  const text = readText(env, 'WEBHOOK_NOTICE_URL');
  if (text === null) return null;
  const url = parseAddress('WEBHOOK_NOTICE_URL', text);
  if (url && /^https?:$/.test(url.protocol)) return url;
  throw new SettingError(
    `WEBHOOK_NOTICE_URL is "${text}"; it must be an address of http or https, such as https://mail.internal/notices.`,
  );
}

function readProxy(env: Environment): URL | null {
  const text = readText(env, 'WEBHOOK_PROXY');
  if (text === null) return null;
  const url = parseAddress('WEBHOOK_PROXY', text);
  if (url?.protocol === 'http:' && [url.origin, `${url.origin}/`].includes(text)) return url;
  throw new SettingError(
    `WEBHOOK_PROXY is "${text}"; it must be the address of a proxy, such as http://proxy.internal:3128.`,
  );
}
