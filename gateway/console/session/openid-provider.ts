import * as openid from 'openid-client';
import type { Clock } from '../../../service/clock.ts';
import type { ProviderConfig } from '../config.ts';
import { areComplete, type Claims } from './identity.ts';

/** A provider counts as down if it has not answered within this time, in seconds. */
const TIMEOUT_SECONDS = 5;
/** The service reads the provider's description again after this time, because endpoints may move. */
const DESCRIPTION_MS = 60 * 60_000;
/** A sign-in that begins reads a description that is older than this again, because the provider may be down since. */
const FRESH_MS = 5_000;
/** After a sign-in that failed, a description that is older than this is read again. */
const DOUBTED_MS = 60_000;
const SCOPE = 'openid email profile';

/** The provider gave no answer, or an invalid one. */
export class ProviderAwayError extends Error {
  override name = 'ProviderAwayError';
}

/** The provider refuses a sign-in, or its answer belongs to another sign-in. */
export class ProviderRefusalError extends Error {
  override name = 'ProviderRefusalError';
  /** The provider's error code, such as `access_denied`; null if this service refuses. */
  readonly code: string | null;

  constructor(code: string | null, message: string, cause: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/** The secrets of a sign-in; the provider's answer must match them. */
export type SignInSecrets = Record<'state' | 'nonce' | 'codeVerifier', string>;

/** Error codes of openid-client for a well-formed answer that does not match. */
const MISFIT =
  /^OAUTH_(INVALID_RESPONSE|JWT_CLAIM_COMPARISON_FAILED|JWT_TIMESTAMP_CHECK_FAILED|JSON_ATTRIBUTE_COMPARISON_FAILED)$/;

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function explain(error: unknown): ProviderRefusalError | ProviderAwayError {
  const message = reasonOf(error);
  if (error instanceof openid.AuthorizationResponseError || error instanceof openid.ResponseBodyError) {
    return new ProviderRefusalError(error.error, message, error);
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return MISFIT.test(code)
    ? new ProviderRefusalError(null, message, error)
    : new ProviderAwayError(message, { cause: error });
}

/** Sends the client's secret in the standard way, unless this provider asks for another. */
function authenticate(secret: string): openid.ClientAuth {
  const inHeader = openid.ClientSecretBasic(secret);
  const inBody = openid.ClientSecretPost(secret);
  return (server, ...request) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    return (methods.includes('client_secret_basic') ? inHeader : inBody)(server, ...request);
  };
}

/**
 * The sign-in provider: authorization code with PKCE. Its description is read at the first sign-in, so that a gateway
 * can start while the provider is down.
 */
export class OpenIdProvider {
  readonly #config: ProviderConfig;
  readonly #clock: Clock;
  #description: { value: Promise<openid.Configuration>; readAt: number; until: number } | null = null;

  constructor(config: ProviderConfig, clock: Clock) {
    this.#config = config;
    this.#clock = clock;
  }

  /** The provider's host, to show to people. */
  get host(): string {
    return this.#config.issuer.host;
  }

  get assumesVerified(): boolean {
    return this.#config.assumesVerified;
  }

  /**
   * Begins a sign-in, if the provider answers. A browser that is sent to a provider that is down shows an error of its own.
   *
   * @param options.asksAgain whether the provider should let the person choose another identity
   * @returns the address at the provider, and the secrets to keep
   * @throws ProviderAwayError
   */
  async begin({ asksAgain }: { asksAgain: boolean }): Promise<{ url: URL; secrets: SignInSecrets }> {
    const description = await this.#describe(FRESH_MS);
    const secrets: SignInSecrets = {
      state: openid.randomState(),
      nonce: openid.randomNonce(),
      codeVerifier: openid.randomPKCECodeVerifier(),
    };
    const prompts = description.serverMetadata().prompt_values_supported;
    const choice = Array.isArray(prompts) && prompts.includes('select_account') ? 'select_account' : 'login';
    const parameters = {
      redirect_uri: this.#config.callbackUrl,
      scope: SCOPE,
      response_mode: 'query',
      state: secrets.state,
      nonce: secrets.nonce,
      code_challenge: await openid.calculatePKCECodeChallenge(secrets.codeVerifier),
      code_challenge_method: 'S256',
      ...(asksAgain && { prompt: choice }),
    };
    try {
      return { url: openid.buildAuthorizationUrl(description, parameters), secrets };
    } catch (error) {
      // The description has no usable address, so it is read again.
      this.#description = null;
      throw explain(error);
    }
  }

  /**
   * Exchanges the browser's code for the provider's claims about the person.
   *
   * @param query the query of the callback
   * @throws ProviderRefusalError, ProviderAwayError
   */
  async finish(query: string, { state, nonce, codeVerifier }: SignInSecrets): Promise<Claims> {
    const description = await this.#describe();
    const { callbackUrl } = this.#config;
    try {
      const tokens = await openid.authorizationCodeGrant(description, new URL(`${callbackUrl}?${query}`), {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: codeVerifier,
      });
      const claims = tokens.claims();
      if (!claims) throw new Error('The provider sent no ID token.');
      if (areComplete(claims) || !description.serverMetadata().userinfo_endpoint) return claims;
      const more = await openid.fetchUserInfo(description, tokens.access_token, claims.sub);
      // The address and its verification come from the same source, and the issuer from the signed token.
      return more.email === undefined ? claims : { ...more, iss: claims.iss };
    } catch (error) {
      this.#doubtDescription();
      throw explain(error);
    }
  }

  /** An address in the description may be wrong, or its keys: the next sign-in reads it again, once a minute at most. */
  #doubtDescription(): void {
    const asked = this.#description;
    if (asked !== null) asked.until = Math.min(asked.until, asked.readAt + DOUBTED_MS);
  }

  /** Reads the provider's description, once for all concurrent callers. After a failure, the next caller asks again. */
  async #describe(maxAgeMs = DESCRIPTION_MS): Promise<openid.Configuration> {
    const now = this.#clock.now();
    let asked = this.#description;
    if (asked === null || asked.until <= now || asked.readAt + maxAgeMs <= now) {
      asked = { value: this.#discover(), readAt: now, until: now + DESCRIPTION_MS };
      this.#description = asked;
    }
    try {
      return await asked.value;
    } catch (error) {
      if (this.#description === asked) this.#description = null;
      throw new ProviderAwayError(reasonOf(error), { cause: error });
    }
  }

  #discover(): Promise<openid.Configuration> {
    const { issuer, clientId, clientSecret } = this.#config;
    return openid.discovery(issuer, clientId, clientSecret, authenticate(clientSecret), {
      timeout: TIMEOUT_SECONDS,
      // The signature of an ID token is checked although the provider itself sends the token.
      execute: [
        openid.enableNonRepudiationChecks,
        ...(issuer.protocol === 'http:' ? [openid.allowInsecureRequests] : []),
      ],
    });
  }
}
