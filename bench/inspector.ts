import { once } from 'node:events';
import { findFreePort } from '../ops/local/servers/ports.ts';

/** A profile in the format of V8, which DevTools opens. */
export type Profile = object;

/** The interval between samples of the stack, in microseconds. */
const CPU_INTERVAL_US = 500;
/** The average number of bytes between samples of allocations. */
const HEAP_INTERVAL_BYTES = 2048;

/** The port for profiling a Node program, and the setting that opens it. */
export async function profiledEnv(): Promise<{ port: number; env: Record<string, string> }> {
  const port = await findFreePort();
  return { port, env: { NODE_OPTIONS: `--inspect=127.0.0.1:${port} --inspect-publish-uid=http` } };
}

/** A connection to a program's inspector, with the DevTools protocol of Chromium. */
export class Inspector {
  readonly #socket: WebSocket;
  readonly #answers = new Map<number, (answer: { result?: unknown; error?: { message: string } }) => void>();
  #lastId = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => {
      const answer = JSON.parse(String(data));
      this.#answers.get(answer.id)?.(answer);
      this.#answers.delete(answer.id);
    });
  }

  static async open(port: number): Promise<Inspector> {
    const targets = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as {
      webSocketDebuggerUrl: string;
    }[];
    const socket = new WebSocket(targets[0]?.webSocketDebuggerUrl ?? '');
    await once(socket, 'open');
    return new Inspector(socket);
  }

  /** Profiles the processor time of the main thread during some work. */
  async profileCpu(work: () => Promise<unknown>): Promise<Profile> {
    await this.#call('Profiler.enable');
    await this.#call('Profiler.setSamplingInterval', { interval: CPU_INTERVAL_US });
    await this.#call('Profiler.start');
    await work();
    const { profile } = (await this.#call('Profiler.stop')) as { profile: Profile };
    return profile;
  }

  /** Profiles the memory of V8's heap that some work leaves in use. */
  async profileHeap(work: () => Promise<unknown>): Promise<Profile> {
    await this.#call('HeapProfiler.startSampling', { samplingInterval: HEAP_INTERVAL_BYTES });
    await work();
    await this.#call('HeapProfiler.collectGarbage');
    const { profile } = (await this.#call('HeapProfiler.stopSampling')) as { profile: Profile };
    return profile;
  }

  close(): void {
    this.#socket.close();
  }

  async #call(method: string, params: object = {}): Promise<unknown> {
    this.#lastId += 1;
    const id = this.#lastId;
    const answered = new Promise<{ result?: unknown; error?: { message: string } }>((resolve) => {
      this.#answers.set(id, resolve);
    });
    this.#socket.send(JSON.stringify({ id, method, params }));
    const { result, error } = await answered;
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  }
}
