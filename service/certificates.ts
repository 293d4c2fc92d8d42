/** The certificates of a TLS client, as PEM. They are checked at the start, and after each change. */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { createSecureContext, type SecureContext } from 'node:tls';
import { SettingError } from './environment.ts';
import type { Secret } from './secret.ts';

export interface Certificates {
  /** The trusted authorities for the server's certificate; null for Node's. */
  ca: Secret | null;
  /** The client's certificate, its key and the password of an encrypted key; null without a certificate. */
  client: { cert: Secret; key: Secret; keyPassword: Secret | null } | null;
}

/** The settings of a TLS client; null if unset. */
export interface CertificateSettings {
  ca: Secret | null;
  cert: Secret | null;
  key: Secret | null;
  keyPassword: Secret | null;
}

/**
 * Checks and combines the settings of a TLS client.
 *
 * @throws SettingError if the certificate or its key is missing or not PEM, if they do not belong together,
 * or if the key's password is missing, wrong or unused
 */
export function checkCertificates({ ca, cert, key, keyPassword }: CertificateSettings): Certificates {
  if (cert === null && key !== null) throw lonely(key, 'certificate');
  if (cert !== null && key === null) throw lonely(cert, 'key');
  if (keyPassword !== null && key === null) throw lonely(keyPassword, 'key');
  if (ca !== null) parseCertificate(ca);
  if (cert === null || key === null) return { ca, client: null };
  if (!parseCertificate(cert).checkPrivateKey(parseKey(key, keyPassword))) {
    throw new SettingError(`${cert.setting} and ${key.setting} do not belong together.`);
  }
  return { ca, client: { cert, key, keyPassword } };
}

function lonely({ setting }: Secret, other: string): SettingError {
  return new SettingError(`${setting} is set without the ${other} that belongs to it; set both or neither.`);
}

/** @throws SettingError if it is not a certificate */
function parseCertificate(secret: Secret): X509Certificate {
  try {
    return new X509Certificate(secret.read());
  } catch (cause) {
    throw new SettingError(`${secret.setting} holds no certificate in PEM form.`, { cause });
  }
}

/** An unencrypted key ignores the password, so that either can be replaced first. */
function parseKey(key: Secret, password: Secret | null): KeyObject {
  const pem = key.read();
  try {
    return createPrivateKey({ key: pem, ...(password && { passphrase: password.read() }) });
  } catch {
    // The error may quote the key.
    throw new SettingError(explainKey(key, pem.includes('ENCRYPTED'), password));
  }
}

function explainKey({ setting }: Secret, isEncrypted: boolean, password: Secret | null): string {
  if (!isEncrypted) return `${setting} holds no private key in PEM form.`;
  if (password === null) {
    const [name = ''] = setting.split(/(?:_FILE)?(?: |$)/);
    return `${setting} holds an encrypted private key: name the file of its password in ${name}_PASSWORD_FILE.`;
  }
  return `${setting} holds a private key that ${password.setting} does not decrypt; correct one of them.`;
}

/** The present client certificate's subject and expiry; null without one. */
export function describeClientCertificate(
  certificates: Certificates,
): { setting: string; subject: string; validTo: Date } | null {
  if (certificates.client === null) return null;
  const { cert } = certificates.client;
  const { subject, validToDate } = new X509Certificate(cert.read());
  return { setting: cert.setting, subject: subject.split('\n').join(','), validTo: validToDate };
}

/** The contexts of this process, so that a new client has one even while files are being replaced. */
const contexts = new WeakMap<Certificates, () => SecureContext>();

/**
 * Returns a function for the next connection's context, made from the current certificates. While they do not
 * fit together, because only one of two files has been replaced, it returns the last context.
 *
 * @param certificates the same object for all connections with them
 */
export function rotatingContext(certificates: Certificates): () => SecureContext {
  const context = contexts.get(certificates) ?? createRotatingContext(certificates);
  contexts.set(certificates, context);
  return context;
}

function createRotatingContext({ ca, client }: Certificates): () => SecureContext {
  let texts = '';
  let context: SecureContext | undefined;
  return () => {
    const options = {
      ...(ca && { ca: ca.read() }),
      ...(client && { cert: client.cert.read(), key: client.key.read() }),
      ...(client?.keyPassword && { passphrase: client.keyPassword.read() }),
    };
    const present = JSON.stringify(options);
    if (context !== undefined && present === texts) return context;
    try {
      context = createSecureContext(options);
      texts = present;
    } catch (error) {
      if (context === undefined) throw error;
    }
    return context;
  };
}
