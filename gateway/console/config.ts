import { type Environment, readInteger, readText, SettingError } from '../../service/environment.ts';
import { readSecret } from '../../service/secret.ts';
import type { Servers } from '../../service/servers.ts';

/** The settings of the console. */
export interface ConsoleConfig extends Pick<Servers, 'databaseUrl' | 'brokers' | 'topicPrefix'> {
  /**
   * The console's public address, as `https://ballots.example.org`; null for this machine only. With HTTPS, its cookies
   * are secure.
   */
  publicUrl: string | null;
  /** The sign-in provider; null if people sign in by links only. */
  provider: ProviderConfig | null;
}

/** An OpenID Connect provider. */
export interface ProviderConfig {
  issuer: URL;
  clientId: string;
  clientSecret: string;
  /** The address to which the provider sends people back. */
  callbackUrl: string;
  /** Whether addresses count as verified if the provider does not say. */
  assumesVerified: boolean;
}

/**
 * Reads OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET or OIDC_CLIENT_SECRET_FILE, and OIDC_ASSUME_EMAIL_VERIFIED.
 *
 * @param publicUrl the service's public address; null if it is not set
 * @returns null if none of them is set: people then sign in by links only
 * @throws SettingError if one is missing or invalid
 */
export function readProvider(env: Environment, publicUrl: string | null): ProviderConfig | null {
  const issuer = readText(env, 'OIDC_ISSUER');
  const clientId = readText(env, 'OIDC_CLIENT_ID');
  const clientSecret = readSecret(env, 'OIDC_CLIENT_SECRET')?.read() ?? null;
  const assumesVerified = readInteger(env, 'OIDC_ASSUME_EMAIL_VERIFIED', { min: 0, max: 1 }) === 1;
  if (issuer === null && clientId === null && clientSecret === null) return null;
  const url = checkIssuer(requireSetting('OIDC_ISSUER', issuer));
  return {
    issuer: url,
    clientId: requireSetting('OIDC_CLIENT_ID', clientId),
    clientSecret: requireSetting('OIDC_CLIENT_SECRET', clientSecret, ', and OIDC_CLIENT_SECRET_FILE neither'),
    callbackUrl: `${requireSetting('PUBLIC_URL', publicUrl)}/console/sign-in/callback`,
    assumesVerified,
  };
}

function requireSetting(name: string, value: string | null, also = ''): string {
  if (value !== null) return value;
  throw new SettingError(
    `${name} is not set${also}; signing in with OpenID Connect needs OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET ` +
      'and PUBLIC_URL.',
  );
}

/** Plain HTTP exposes the secret, so it is allowed only for a provider on this machine. */
function checkIssuer(text: string): URL {
  const url = URL.parse(text);
  const isLoopback = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url?.hostname ?? '');
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback);
  if (url && isSafe && url.search === '' && url.hash === '' && url.username === '' && url.password === '') {
    return url;
  }
  throw new SettingError(
    `OIDC_ISSUER is "${text}"; it must be an address such as https://accounts.example.org, and begin with https:// ` +
      'unless the provider is on this machine.',
  );
}
