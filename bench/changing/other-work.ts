import { type ChildProcess, spawn } from 'node:child_process';

/** The processes that share the work, as consumers, Kafka, Postgres and the gateway share that of changes. */
const PROCESSES = 4;
/** How often each process works in a second. */
const TURNS = 20;

const BUSY = `
const turn = () => { const end = performance.now() + Number(process.argv[1]); while (performance.now() < end); };
setInterval(turn, 1000 / ${TURNS});
`;

/** Does the work while other processes take this processor time in milliseconds a second, and nothing else. */
export async function besideOtherWork(msPerSecond: number, work: () => Promise<void>): Promise<void> {
  const turnMs = msPerSecond / TURNS / PROCESSES;
  const processes: ChildProcess[] = Array.from({ length: PROCESSES }, () =>
    spawn(process.execPath, ['--eval', BUSY, String(turnMs)], { stdio: 'inherit' }),
  );
  try {
    await work();
  } finally {
    for (const each of processes) each.kill();
  }
}
