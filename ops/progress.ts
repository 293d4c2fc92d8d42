import { Presets, SingleBar } from 'cli-progress';

/** Called with the completed part of the work, and the total. */
export type OnProgress = (done: number, total: number) => void;

/** Runs work with a progress bar on standard error if that is a terminal. The bar disappears at the end. */
export async function withProgress<T>(
  terminal: boolean,
  label: string,
  work: (onProgress: OnProgress) => Promise<T>,
): Promise<T> {
  const format = `${label} {bar} {percentage}% | {eta_formatted}`;
  const bar = new SingleBar(
    { format, stream: process.stderr, stopOnComplete: true, clearOnComplete: true, hideCursor: true },
    Presets.shades_grey,
  );
  let isStarted = false;
  try {
    return await work((done, total) => {
      if (!terminal || total === 0) return;
      if (!isStarted) bar.start(total, 0);
      isStarted = true;
      bar.update(done);
    });
  } finally {
    bar.stop();
  }
}

/** The same for work that knows its total, and tells each completed amount. */
export function withTotal<T>(
  terminal: boolean,
  label: string,
  total: number,
  work: (advance: (amount: number) => void) => Promise<T>,
): Promise<T> {
  return withProgress(terminal, label, (onProgress) => {
    let done = 0;
    onProgress(done, total);
    return work((amount) => {
      done += amount;
      onProgress(done, total);
    });
  });
}
