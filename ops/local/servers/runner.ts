/** Decides how servers run on this machine, before any of them starts. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { OperatorError } from '../../../service/operator-error.ts';
import { isOnPath } from './on-path.mjs';
import type { ServerRunner } from './server.ts';

const run = promisify(execFile);
const OLDEST_JAVA = 17;

const HOW_TO_GET_JAVA =
  'on Debian or Ubuntu "apt-get install openjdk-17-jre-headless maven", on macOS "brew install openjdk@17 maven"';

/** The tools on this machine that can run servers. */
export interface Machine {
  /** The major version of the Java on the PATH; null without Java. */
  java: number | null;
  maven: boolean;
  /** Whether a Docker daemon answers. */
  docker: boolean;
}

async function readJavaVersion(): Promise<number | null> {
  const output = await run('java', ['-version']).catch(() => null);
  if (output === null) return null;
  const [, first, second] = /version "(\d+)(?:\.(\d+))?/.exec(output.stderr) ?? [];
  // Java 8 calls itself 1.8.
  return Number(first === '1' ? second : first);
}

async function hasDocker(): Promise<boolean> {
  return run('docker', ['version'], { timeout: 60_000 }).then(
    () => true,
    () => false,
  );
}

/** Looks for Java and Maven, and for Docker if one of them is missing. */
export async function inspectMachine(): Promise<Machine> {
  const [java, maven] = [await readJavaVersion(), isOnPath('mvn')];
  const embedded = java !== null && java >= OLDEST_JAVA && maven;
  return { java, maven, docker: !embedded && (await hasDocker()) };
}

/** Chooses how servers run on such a machine. @throws OperatorError with the missing tool and how to get it */
export function chooseRunner({ java, maven, docker }: Machine): 'embedded' | 'containers' {
  if (java !== null && java >= OLDEST_JAVA && maven) return 'embedded';
  if (docker) return 'containers';
  const missing = java === null ? 'Java' : java < OLDEST_JAVA ? `a newer Java (this is ${java})` : 'Maven';
  throw new OperatorError(
    `${missing} is missing: Kafka needs Java ${OLDEST_JAVA} or newer and Maven to be fetched with ` +
      `(${HOW_TO_GET_JAVA}). A running Docker can replace both.`,
  );
}

/** Imported dynamically, because its package is installed only for containers and for development. */
async function findContainers(): Promise<ServerRunner> {
  return import('./containers.ts').catch((cause) => {
    throw new OperatorError(
      `The Java on the PATH is too old for Kafka: install Java ${OLDEST_JAVA} or newer, or run "npm ci" once, and Docker ` +
        `replaces it.`,
      { cause },
    );
  });
}

/**
 * Finds how to run servers on this machine: embedded with Java and Maven, or else in containers.
 *
 * @throws OperatorError if neither is possible
 */
export async function findRunner(): Promise<ServerRunner> {
  if (chooseRunner(await inspectMachine()) === 'containers') return findContainers();
  const [{ startPostgres }, { startKafka }] = await Promise.all([
    import('./postgres/server.ts'),
    import('./kafka/broker.ts'),
  ]);
  return { startPostgres, startKafka };
}
