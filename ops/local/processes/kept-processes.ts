import { STOP_DEADLINE_MS } from '../../../service/lifecycle.ts';
import { INVALID_SETTING_STATUS } from '../../../service/program.ts';
import { type Supervisor, supervise } from '../../../service/supervise.ts';
import type { LocalServer, ServerOptions } from '../servers/server.ts';
import { startNodeProcess } from './node-process.ts';
import type { RememberedPids } from './remembered-pids.ts';

/** The longest pause between restarts of a server that keeps failing, as on a full disk, in milliseconds. */
const MAX_SERVER_DELAY_MS = 4000;
/** A program's predecessor can hold the port for a moment. */
const REFUSALS_TO_GIVE_UP = 3;
/** A stuck program ends itself earlier. */
const CHILD_GRACE_MS = STOP_DEADLINE_MS + 5000;

export interface KeptProcessesOptions {
  /** Their logs' folder. */
  logDir: string;
  pids: RememberedPids;
  /** Stops them, each before those that were started earlier. */
  stack: AsyncDisposableStack;
  /** Shows a line on the terminal. */
  report(line: string): void;
  /** Called when a program cannot be started, for a reason that it has already shown. */
  onRefusal(name: string): void;
}

/** Starts the servers and the programs of `npm start`, and starts each again if it ends. */
export class KeptProcesses {
  readonly #options: KeptProcessesOptions;

  constructor(options: KeptProcessesOptions) {
    this.#options = options;
  }

  /** Starts a server. It keeps its first port. */
  async keepServer<T extends LocalServer & { port: number }>(
    name: string,
    options: ServerOptions,
    start: (options: ServerOptions) => Promise<T>,
  ): Promise<Supervisor<T>> {
    const { pids, stack, report } = this.#options;
    let port: number | undefined;
    const supervisor = await supervise({
      name,
      start: async () => {
        const server = await start({ ...options, port, onSpawn: (pid) => pids.set(name, pid) });
        port = server.port;
        return server;
      },
      report,
      maxDelayMs: MAX_SERVER_DELAY_MS,
    });
    stack.defer(() => supervisor.stop());
    return supervisor;
  }

  /** Starts a program of the service. @param entry the absolute path of its main file */
  async keepProgram(name: string, entry: string, env: NodeJS.ProcessEnv): Promise<void> {
    const { logDir, pids, stack, report, onRefusal } = this.#options;
    let refusals = 0;
    const supervisor = await supervise({
      name,
      start: async () => {
        const running = startNodeProcess({ name, entry, env, logDir, graceMs: CHILD_GRACE_MS, report });
        await pids.set(name, running.pid);
        return running;
      },
      report,
      isFinal: (ending) => {
        refusals = ending === `exit code ${INVALID_SETTING_STATUS}` ? refusals + 1 : 0;
        if (refusals < REFUSALS_TO_GIVE_UP) return false;
        onRefusal(name);
        return true;
      },
    });
    stack.defer(() => supervisor.stop());
  }
}
