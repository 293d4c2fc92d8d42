/** Sentences for the errors of TLS, by Node's and OpenSSL's codes. */

export interface TlsParty {
  /** The server in a message, such as "Kafka at host:9093". */
  server: string;
  /** The settings for the operator to correct. */
  settings: { ca: string; cert: string; name: string | null; mode: string };
  /** The client's certificate, if any. */
  client: { setting: string; subject: string; validTo: Date } | null;
  /** The error's message, which lists a certificate's names. */
  message: string;
}

const UNKNOWN_AUTHORITY = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_SIGNATURE_FAILURE',
]);
const NO_TLS = new Set(['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG']);
/** The server's refusals of the client's certificate. */
const CLIENT_REFUSED =
  /^ERR_SSL_.*ALERT_(BAD_CERTIFICATE|CERTIFICATE_|UNSUPPORTED_CERTIFICATE|UNKNOWN_CA|ACCESS_DENIED)/;

/** Whether an error's code is one of TLS. */
export function isTlsCode(code: string): boolean {
  return (
    /^ERR_(SSL|TLS)_/.test(code) ||
    UNKNOWN_AUTHORITY.has(code) ||
    /^(CERT|CRL)_/.test(code) ||
    code === 'HOSTNAME_MISMATCH' ||
    code === 'INVALID_CA'
  );
}

/** The sentence for a code of TLS; null for any other. */
export function explainTlsCode(code: string, party: TlsParty): string | null {
  if (!isTlsCode(code)) return null;
  const { server, settings, client, message } = party;
  const certificate = `The certificate of ${server}`;
  if (code === 'CERT_HAS_EXPIRED') return `${certificate} has expired: renew it on the server.`;
  if (code === 'CERT_NOT_YET_VALID') {
    return `${certificate} is not valid yet: check the clocks of both machines, or renew it on the server.`;
  }
  if (UNKNOWN_AUTHORITY.has(code)) {
    return `${certificate} is signed by an authority that is not trusted: name its CA in ${settings.ca}.`;
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID' || code === 'HOSTNAME_MISMATCH') {
    const names = /.*altnames: (.*)$/.exec(message)?.[1] ?? 'another name';
    const hint = settings.name === null ? 'the host' : `the host, or set ${settings.name}`;
    return `${certificate} is for ${names.replace(/\.$/, '')}: correct ${hint}.`;
  }
  if (NO_TLS.has(code))
    return `${server} does not speak TLS on this port: correct the port or ${settings.mode}.`;
  if (CLIENT_REFUSED.test(code)) return explainClientRefused(server, settings.cert, client);
  return `The TLS connection to ${server} fails (${code}).`;
}

function explainClientRefused(server: string, setting: string, client: TlsParty['client']): string {
  if (client === null) return `${server} asks for a client certificate: set ${setting} and its key.`;
  const name = `the client certificate "${client.subject}" of ${client.setting}`;
  if (client.validTo.getTime() < Date.now()) {
    return `${server} refuses ${name}, which expired on ${client.validTo.toISOString().slice(0, 10)}: renew it.`;
  }
  return `${server} refuses ${name}: show one that its authority has signed.`;
}
