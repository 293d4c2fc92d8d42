/*
 * Turns the address of a database into the settings of one connection. They are made anew for each connection, so that
 * rotated certificates and passwords are used without a restart.
 */
import { type ConnectionOptions, checkServerIdentity } from 'node:tls';
import type { ClientConfig } from 'pg';
import { type Certificates, describeClientCertificate, rotatingContext } from '../../service/certificates.ts';
import {
  checkDatabaseCertificates,
  OWN_PARAMETERS,
  PASSWORD_FILE,
  parseSslMode,
  withPassword,
} from '../../service/database-address.ts';
import { openSecretFile, type Secret } from '../../service/secret.ts';

/** The settings of a connection. `connectionString` has neither certificates nor the mode of TLS. */
export interface ConnectionConfig extends Pick<ClientConfig, 'connectionString'> {
  connectionString: string;
  ssl: false | ConnectionOptions;
}

interface Place {
  address: string;
  password: Secret | null;
  certificates: Certificates;
  tls: () => false | ConnectionOptions;
}

/** Kept for the whole process, so that a file's content survives its replacement. */
const places = new Map<string, Place>();

/**
 * The settings of the next connection to a database.
 *
 * @throws SettingError if the address has an unknown `sslmode`, or names a file that cannot be used
 */
export function readConnectionConfig(databaseUrl: string): ConnectionConfig {
  const { address, password, tls } = findPlace(databaseUrl);
  return {
    connectionString: password === null ? address : withPassword(address, password.read()),
    ssl: tls(),
  };
}

/** The client certificate for the database; null without one. */
export function describeDatabaseClient(databaseUrl: string): ReturnType<typeof describeClientCertificate> {
  return describeClientCertificate(findPlace(databaseUrl).certificates);
}

function findPlace(databaseUrl: string): Place {
  const place = places.get(databaseUrl) ?? createPlace(databaseUrl);
  places.set(databaseUrl, place);
  return place;
}

function createPlace(databaseUrl: string): Place {
  const [base = '', query = ''] = databaseUrl.split('?', 2);
  const parameters = new URLSearchParams(query);
  const certificates = checkDatabaseCertificates(parameters);
  const passwordFile = parameters.get(PASSWORD_FILE);
  const tls = createTls(parameters, certificates);
  for (const name of OWN_PARAMETERS) parameters.delete(name);
  return {
    address: parameters.size === 0 ? base : `${base}?${parameters}`,
    password: passwordFile === null ? null : openSecretFile('DATABASE_PASSWORD_FILE', passwordFile),
    certificates,
    tls,
  };
}

/** `require` checks as much as `verify-full`. libpq's `require` checks nothing and so protects nothing. */
function createTls(parameters: URLSearchParams, certificates: Certificates): () => false | ConnectionOptions {
  const mode =
    parseSslMode(parameters) ?? (certificates.ca || certificates.client ? 'verify-full' : 'disable');
  if (mode === 'disable') return () => false;
  const context = rotatingContext(certificates);
  return () => ({
    secureContext: context(),
    rejectUnauthorized: mode !== 'no-verify',
    checkServerIdentity: mode === 'verify-ca' ? () => undefined : checkServerIdentity,
  });
}
