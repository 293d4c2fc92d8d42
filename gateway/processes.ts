import cluster from 'node:cluster';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { SettingError } from '../service/environment.ts';
import type { Stoppable } from '../service/lifecycle.ts';
import type { Logger } from '../service/log.ts';
import { OperatorError } from '../service/operator-error.ts';
import { INVALID_SETTING_STATUS } from '../service/program.ts';
import { type SupervisedProcess, supervise } from '../service/supervise.ts';
import type { GatewayConfig } from './config.ts';

/** Whether this process is one of several that serve the port for a common parent. */
export const isOneOfSeveral = cluster.isWorker;

/** Tells the parent process, if any, that this process works. */
export function reportStarted(): void {
  if (isOneOfSeveral) process.send?.('started');
}

/** Starts a process, with the metrics port METRICS_PORT + `place`. @throws Error if the process ends before it works */
async function startProcess(metricsPort: number, place: number): Promise<SupervisedProcess> {
  const worker = cluster.fork({ METRICS_PORT: String(metricsPort === 0 ? 0 : metricsPort + place) });
  const exited = once(worker, 'exit').then(([code, signal]) => String(signal ?? `exit code ${code}`));
  const ending = await Promise.race([once(worker, 'message').then(() => null), exited]);
  if (ending !== null) throw new Error(ending);
  return {
    exited,
    async stop() {
      worker.process.kill('SIGTERM');
      await exited;
    },
  };
}

/**
 * Starts several processes that serve the same port, each a whole gateway, and restarts each that ends. This
 * process accepts the connections and hands them to the others in turn, so that streams are spread evenly and
 * a process that stops loses none.
 *
 * @returns once all of them work
 * @throws OperatorError if one cannot start. The process itself reports the reason.
 */
export async function startProcesses(
  { processes, metricsPort }: Pick<GatewayConfig, 'processes' | 'metricsPort'>,
  log: Logger,
): Promise<Stoppable> {
  cluster.schedulingPolicy = cluster.SCHED_RR;
  cluster.setupPrimary({
    exec: fileURLToPath(new URL('main.ts', import.meta.url)),
    args: process.argv.slice(2),
  });
  const keepers: Stoppable[] = [];
  const stop = async () => {
    await Promise.all(keepers.map((keeper) => keeper.stop()));
  };
  const keep = async (place: number) => {
    const name = `gateway process ${place + 1}`;
    const keeper = await supervise({
      name,
      start: () => startProcess(metricsPort, place),
      report: (line) => log.error(line),
    });
    keepers.push(keeper);
  };
  try {
    // The first process starts alone, so that an invalid setting is reported once.
    await keep(0);
    const others = Array.from({ length: processes - 1 }, (_, index) => keep(index + 1));
    await Promise.allSettled(others);
    await Promise.all(others);
  } catch (error) {
    await stop();
    const ending = (error as Error).message;
    const Failure = ending === `exit code ${INVALID_SETTING_STATUS}` ? SettingError : OperatorError;
    throw new Failure(`A process of the gateway could not start (${ending}).`);
  }
  return { stop };
}
