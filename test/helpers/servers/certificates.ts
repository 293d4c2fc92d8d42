/** Makes certificates with openssl, for tests of TLS. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Files in PEM form. */
export interface IssuedCertificate {
  cert: string;
  key: string;
  /** The key and then the certificate, as Kafka reads them. */
  both: string;
}

export interface IssueOptions {
  /** The file's name, without its ending; it replaces an earlier certificate of that name. */
  name: string;
  /** The common name; by default the file's name. */
  subject?: string;
  /** The subject's alternative names, such as DNS:localhost. */
  hosts?: string[];
  /** The days until it expires; negative for an expired one. */
  days?: number;
  /** The moment at which it expires, instead of `days`. */
  until?: Date;
}

/** A certificate authority in a folder. */
export class TestAuthority {
  /** Its own certificate, as a file in PEM form. */
  readonly ca: string;
  readonly #dir: string;
  readonly #key: string;

  private constructor(dir: string, name: string) {
    this.#dir = dir;
    this.ca = path.join(dir, `${name}.crt`);
    this.#key = path.join(dir, `${name}.key`);
  }

  /** Makes an authority whose files go into this folder. */
  static async create(dir: string, name: string): Promise<TestAuthority> {
    const authority = new TestAuthority(dir, name);
    await run('openssl', [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
      ...['-keyout', authority.#key, '-out', authority.ca, '-subj', `/CN=${name}`, '-days', '30'],
    ]);
    return authority;
  }

  /** An authority from `create`. */
  static open(dir: string, name: string): TestAuthority {
    return new TestAuthority(dir, name);
  }

  /** Issues a certificate for servers and clients. */
  async issue({
    name,
    subject = name,
    hosts = ['DNS:localhost'],
    days = 1,
    until,
  }: IssueOptions): Promise<IssuedCertificate> {
    const at = (ending: string) => path.join(this.#dir, `${name}.${ending}`);
    await writeFile(at('ext'), `subjectAltName=${hosts.join(',')}\n`);
    await run('openssl', [
      ...['req', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
      ...['-keyout', at('key'), '-out', at('csr'), '-subj', `/CN=${subject}`],
    ]);
    if (until) await this.#signUntil(until, at);
    else {
      // Certificates are issued at the same time, so they cannot share a file with the last serial number.
      const serial = `0x${randomBytes(8).toString('hex')}`;
      await run('openssl', [
        ...['x509', '-req', '-in', at('csr'), '-CA', this.ca, '-CAkey', this.#key, '-set_serial', serial],
        ...['-out', at('crt'), '-days', String(days), '-extfile', at('ext')],
      ]);
    }
    const files = { cert: at('crt'), key: at('key'), both: at('pem') };
    await writeFile(files.both, `${await readFile(files.key, 'utf8')}${await readFile(files.cert, 'utf8')}`);
    return files;
  }

  /** Signs a request. `openssl x509` counts in whole days; only `openssl ca` takes a time. */
  async #signUntil(until: Date, at: (ending: string) => string): Promise<void> {
    const settings = {
      database: at('index'),
      new_certs_dir: this.#dir,
      certificate: this.ca,
      private_key: this.#key,
      default_md: 'sha256',
      policy: 'names',
      rand_serial: 'yes',
      unique_subject: 'no',
    };
    const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}\n`);
    await writeFile(at('cnf'), `[authority]\n${lines.join('')}[names]\ncommonName = supplied\n`);
    await writeFile(at('index'), '');
    await run('openssl', [
      ...['ca', '-batch', '-notext', '-config', at('cnf'), '-name', 'authority'],
      ...['-in', at('csr'), '-out', at('crt'), '-extfile', at('ext')],
      ...['-enddate', `${until.toISOString().replace(/[-:T]|\.[0-9]+/g, '')}`],
    ]);
  }
}

/** Encrypts a private key in PEM form. @returns the file of the encrypted one, beside the other */
export async function encryptKey(key: string, password: string): Promise<string> {
  const encrypted = `${key}.encrypted`;
  await run('openssl', ['pkcs8', '-topk8', '-in', key, '-out', encrypted, '-passout', `pass:${password}`]);
  return encrypted;
}
