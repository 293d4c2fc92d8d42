import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import path from 'node:path';

/** How Java ends after SIGTERM, once its archive is complete. */
const STOPPED = 'exit code 143';

/** The archives that a broker of this process is going to write: one is enough, since writing takes seconds. */
const inMaking = new Set<string>();

export interface ClassArchive {
  /** Options of a Java that loads classes from the archive; empty if there is none yet. */
  readonly forReading: readonly string[];
  /** Options of a broker that writes the archive when it stops; empty if another broker does. */
  readonly forWriting: readonly string[];
  /** Keeps what a broker has written. @param ending how it ended, as a `LocalServer` describes it */
  keep(ending: string): Promise<void>;
}

/**
 * Java's archive of the classes that a broker loads, beside its jars. With the archive, a broker starts with half of the
 * processor time. Java ignores an archive of other jars or of another Java.
 *
 * @param libs the folder of the jars
 */
export function openClassArchive(libs: string): ClassArchive {
  const file = path.join(path.dirname(libs), 'classes.jsa');
  const unfinished = `${file}.${process.pid}`;
  const isThere = existsSync(file);
  const isWriting = !isThere && !inMaking.has(file);
  if (isWriting) inMaking.add(file);
  return {
    forReading: isThere ? [`-XX:SharedArchiveFile=${file}`] : [],
    forWriting: isWriting ? [`-XX:ArchiveClassesAtExit=${unfinished}`] : [],
    async keep(ending) {
      if (isWriting && ending === STOPPED && existsSync(unfinished)) await rename(unfinished, file);
    },
  };
}
