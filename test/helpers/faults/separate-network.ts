/** A network of its own for a client, which a test can cut so that the client vanishes without a word. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';

/** From the range for documentation, so that it meets no network of the machine; each process has four addresses. */
const FIRST = 4 * (process.pid % 64);
const HERE = `198.51.100.${FIRST + 1}`;
const THERE = `198.51.100.${FIRST + 2}`;

/** A program that passes connections on, from a port of the network to the same port of this machine. */
const RELAY = (port: number) => `
  import { connect, createServer } from 'node:net';
  createServer((client) => {
    const server = connect(${port}, '${HERE}');
    for (const [one, other] of [[client, server], [server, client]]) {
      one.on('error', () => {}).on('close', () => other.destroySoon()).pipe(other);
    }
  }).listen(${port}, '${THERE}', () => console.log('open'));`;

/** Removes the networks of killed runs, whose addresses would lead the clients of a new one astray. */
function removeAbandoned(): void {
  const networks = execFileSync('ip', ['netns', 'list'], { encoding: 'utf8' });
  for (const [, name = '', pid] of networks.matchAll(/^(ballot-(\d+))/gm)) {
    if (!existsSync(`/proc/${pid}`)) execFileSync('ip', ['netns', 'del', name], { stdio: 'ignore' });
  }
}

export class SeparateNetwork {
  /** The address of this machine, as clients in the network reach it. */
  readonly address = HERE;
  readonly #name = `ballot-${process.pid}`;
  readonly #clients: ChildProcess[] = [];
  #isRemoved = false;

  /** Creates one; null without the right to, or the programs. */
  static create(): SeparateNetwork | null {
    const network = new SeparateNetwork();
    try {
      removeAbandoned();
      network.#ip(`netns add ${network.#name}`);
    } catch {
      return null;
    }
    try {
      network.#ip(`link add ${network.#name} type veth peer name eth0 netns ${network.#name}`);
      network.#ip(`addr add ${HERE}/30 dev ${network.#name}`);
      network.#ip(`link set ${network.#name} up`);
      network.#ip(`-n ${network.#name} addr add ${THERE}/30 dev eth0`);
      network.#ip(`-n ${network.#name} link set eth0 up`);
      return network;
    } catch {
      network.remove();
      return null;
    }
  }

  /** Starts Node in the network with the text of a program. */
  start(program: string): ChildProcess {
    const args = ['netns', 'exec', this.#name, process.execPath, '--input-type=module', '-e', program];
    const client = spawn('ip', args, { stdio: ['ignore', 'pipe', 'inherit'] });
    this.#clients.push(client);
    return client;
  }

  /**
   * Opens a way through the network to a port of this machine, for clients that do not run in the network.
   *
   * @returns its address
   */
  async relay(port: number): Promise<string> {
    const { stdout } = this.start(RELAY(port));
    if (stdout) await once(stdout, 'data', { signal: AbortSignal.timeout(30_000) });
    return `http://${THERE}:${port}`;
  }

  /** Loses everything that clients in the network send, acknowledgements included. */
  cut(): void {
    this.#ip(`-n ${this.#name} route add blackhole ${HERE}/32`);
  }

  /** Lets everything through again. */
  mend(): void {
    this.#ip(`-n ${this.#name} route del blackhole ${HERE}/32`);
  }

  /** Removes it, once. */
  remove(): void {
    if (this.#isRemoved) return;
    this.#isRemoved = true;
    for (const client of this.#clients) client.kill('SIGKILL');
    this.#ip(`netns del ${this.#name}`);
  }

  #ip(command: string): void {
    execFileSync('ip', command.split(' '), { stdio: 'ignore' });
  }
}
