/** Keycloak itself, from its distribution in Maven Central, as the token server of Kafka's clients. */
import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { startDaemon } from '../../ops/local/processes/daemon.ts';
import { findFreePort } from '../../ops/local/servers/ports.ts';
import { waitFor } from '../../service/wait-for.ts';
import { fetchDistribution } from '../helpers/servers/distribution.ts';

/** The newest version that runs on Java 17 without further settings. */
const VERSION = '24.0.5';
const REALM = 'ballot';
const START_TIMEOUT_MS = 600_000;
const STOP_GRACE_MS = 20_000;
const ADMIN = { user: 'admin', password: 'admin-password' };

export interface Client {
  id: string;
  secret: string;
}

export interface Keycloak {
  tokenUrl: string;
  jwksUrl: string;
  issuer: string;
  audience: string;
  /** Refuses the client from now on, or no longer. */
  setEnabled(client: string, isEnabled: boolean): Promise<void>;
  stop(): Promise<void>;
}

/** @returns the folder of the distribution, of 170 MB */
async function findDistribution(): Promise<string> {
  const artifact = `org.keycloak:keycloak-quarkus-dist:${VERSION}:zip`;
  return path.join(await fetchDistribution(`keycloak-${VERSION}`, artifact), `keycloak-${VERSION}`);
}

/** A realm with a confidential client for each part of the service, whose tokens are for Kafka and live for seconds. */
function describeRealm(clients: readonly Client[], lifeSeconds: number, audience: string): object {
  return {
    realm: REALM,
    enabled: true,
    sslRequired: 'none',
    clients: clients.map(({ id, secret }) => ({
      clientId: id,
      secret,
      enabled: true,
      publicClient: false,
      serviceAccountsEnabled: true,
      standardFlowEnabled: false,
      attributes: { 'access.token.lifespan': String(lifeSeconds) },
      protocolMappers: [
        {
          name: 'audience',
          protocol: 'openid-connect',
          protocolMapper: 'oidc-audience-mapper',
          config: { 'included.custom.audience': audience, 'access.token.claim': 'true' },
        },
      ],
    })),
  };
}

/** Starts it in a folder, only for this machine. @param lifeSeconds the lifetime of a token */
export async function startKeycloak(
  dir: string,
  clients: readonly Client[],
  lifeSeconds: number,
): Promise<Keycloak> {
  const home = await findDistribution();
  const [port, audience] = [await findFreePort(), 'kafka'];
  await mkdir(dir, { recursive: true });
  const logFile = path.join(dir, 'keycloak.log');
  const server = await startDaemon({
    command: 'bash',
    args: [
      path.join(home, 'bin', 'kc.sh'),
      ...['start-dev', '--db=dev-mem', '--http-host=127.0.0.1', `--http-port=${port}`, '--log-level=warn'],
    ],
    env: { ...process.env, KEYCLOAK_ADMIN: ADMIN.user, KEYCLOAK_ADMIN_PASSWORD: ADMIN.password },
    logFile,
    stop: { marker: `--http-port=${port}`, signal: 'SIGTERM', graceMs: STOP_GRACE_MS },
  });
  const base = `http://127.0.0.1:${port}`;
  const issuer = `${base}/realms/${REALM}`;
  const probe = async () => ((await fetch(`${base}/realms/master`)).ok ? true : null);
  await waitFor('Keycloak', probe, {
    timeoutMs: START_TIMEOUT_MS,
    everyMs: 500,
    until: server.exited,
  }).catch(async (cause) => {
    await server.stop();
    throw new Error(`${(cause as Error).message}; see ${logFile}`, { cause });
  });
  const realm = JSON.stringify(describeRealm(clients, lifeSeconds, audience));
  await administer(base, '', { method: 'POST', body: realm });
  return {
    issuer,
    audience,
    tokenUrl: `${issuer}/protocol/openid-connect/token`,
    jwksUrl: `${issuer}/protocol/openid-connect/certs`,
    setEnabled: (client, isEnabled) => setEnabled(base, client, isEnabled),
    stop: () => server.stop(),
  };
}

async function setEnabled(base: string, id: string, enabled: boolean): Promise<void> {
  const found = await administer(base, `/${REALM}/clients?clientId=${id}`);
  const [client] = (await found.json()) as { id: string }[];
  const body = JSON.stringify({ ...client, enabled });
  await administer(base, `/${REALM}/clients/${client?.id}`, { method: 'PUT', body });
}

/** Sends a request to the administrators' interface. @param place the path after /admin/realms */
async function administer(base: string, place: string, init: RequestInit = {}): Promise<Response> {
  const login = await fetch(`${base}/realms/master/protocol/openid-connect/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'password',
      client_id: 'admin-cli',
      username: ADMIN.user,
      password: ADMIN.password,
    }),
  });
  const { access_token } = (await login.json()) as { access_token: string };
  const headers = { Authorization: `Bearer ${access_token}`, 'Content-Type': 'application/json' };
  const answer = await fetch(`${base}/admin/realms${place}`, { ...init, headers });
  if (!answer.ok) throw new Error(`Keycloak answers ${answer.status} to ${init.method ?? 'GET'} ${place}.`);
  return answer;
}

/** A secret for a client. */
export function chooseSecret(id: string): string {
  return createHash('sha256').update(`${id} ${process.pid}`).digest('base64url');
}
