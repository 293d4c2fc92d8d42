/** The part of oidc-provider that tests use; the package has no types of its own. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  interface Grant {
    addOIDCScope(scope: string): void;
    save(): Promise<string>;
  }

  interface ProviderContext {
    oidc: { client: { clientId: string }; session: { accountId: string } };
  }

  interface FoundAccount {
    accountId: string;
    claims(): Promise<Record<string, unknown>>;
  }

  interface Configuration {
    clients: readonly Record<string, unknown>[];
    claims: Record<string, readonly string[]>;
    cookies: { keys: readonly string[] };
    features: Record<string, { enabled: boolean }>;
    jwks: { keys: readonly object[] };
    ttl: Record<string, number>;
    pkce: { required(): boolean };
    interactions: { url(ctx: ProviderContext, interaction: { uid: string }): string };
    findAccount(ctx: ProviderContext, subject: string): Promise<FoundAccount | undefined>;
    loadExistingGrant(ctx: ProviderContext): Promise<Grant>;
  }

  export class Provider {
    constructor(issuer: string, configuration: Configuration);
    readonly Grant: new (properties: {
      clientId: string;
      accountId: string;
    }) => Grant;
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: { login: { accountId: string } } | { error: string; error_description: string },
    ): Promise<void>;
  }
}
