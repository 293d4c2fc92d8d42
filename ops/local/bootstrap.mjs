/**
 * The entry point of every npm script: `node ops/local/bootstrap.mjs [entry.ts] [arguments...]`.
 *
 * A fresh clone has neither packages nor the right Node, so this file is plain JavaScript that an older Node can read
 * and imports nothing from npm. It installs the missing packages of package-lock.json that the entry needs. Then it
 * runs the entry under Node 24: in this process if that is new enough, or else under the Node of the `node` package.
 * Without an entry it installs all packages. Its own messages go to standard error; standard output belongs to the
 * entry: `npm run ops -- keys create` prints only a key there.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import module from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { FOR_SERVERS, findDifference, installPackages, planPackages } from './packages.mjs';
import { findKafkaJars } from './servers/kafka/jars.mjs';
import { isOnPath } from './servers/on-path.mjs';

const OLDEST_NODE_TO_START_FROM = 20;
const NODE_THAT_READS_TYPESCRIPT = 24;
const START = 'ops/local/start.ts';
/** The entries that run the service; others are development tools. */
const RUNNING = [START, 'gateway/main.ts', 'consumers/main.ts', 'ops/main.ts'];

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
const pinnedNode = path.join(root, 'node_modules', 'node', 'bin', 'node');
const runningNode = Number.parseInt(process.versions.node, 10);

function giveUp(line) {
  process.stderr.write(`${line}\n`);
  process.exit(1);
}

/** Installs the missing packages that an entry needs, and fetches Kafka at the same time if the entry starts it. */
async function install(entry) {
  const hasJava = isOnPath('java') && isOnPath('mvn');
  const isRunning = RUNNING.includes(entry);
  const extra = [
    ...FOR_SERVERS,
    ...(hasJava ? [] : ['testcontainers']),
    ...(runningNode < NODE_THAT_READS_TYPESCRIPT ? ['node'] : []),
  ];
  const plan = planPackages(isRunning ? extra : null);
  if (findDifference(plan) === null) return;
  process.stderr.write(`Installing ${isRunning ? 'the' : 'all'} packages of package-lock.json, once ...\n`);
  // A signal's end also ends npm.
  const ends = ['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => [
    signal,
    () => process.exit(128 + os.constants.signals[signal]),
  ]);
  for (const [signal, end] of ends) process.on(signal, end);
  const startsKafka =
    hasJava && (entry === START ? !process.env.KAFKA_BROKERS : !isRunning && entry !== undefined);
  const done = await Promise.allSettled([installPackages(plan), startsKafka && findKafkaJars()]);
  const failed = done.find(({ status }) => status === 'rejected');
  if (failed) giveUp(failed.reason.message);
  for (const [signal, end] of ends) process.off(signal, end);
}

/**
 * Calls back after npm is gone, for example after a SIGKILL; otherwise nothing could stop the entry. npm passes other
 * signals on: package.json's scripts begin with `exec`, because a shell in between would keep them.
 */
function whenNpmEnds(callback) {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    callback();
  }, 250);
  timer.unref();
}

/** Runs the entry under the pinned Node, passes signals on to it, and ends in the same way. */
function runUnderPinnedNode(entry, args) {
  const child = spawn(pinnedNode, [entry, ...args], { stdio: 'inherit' });
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  const pass = (signal) => child.kill(signal);
  for (const signal of signals) process.on(signal, pass);
  whenNpmEnds(() => child.kill('SIGTERM'));
  child.on('error', (error) => giveUp(`${pinnedNode} could not be started: ${error.message}`));
  child.on('exit', (code, signal) => {
    for (const name of signals) process.off(name, pass);
    if (signal === null) process.exit(code);
    process.kill(process.pid, signal);
    // If the signal does not end this process too, it exits with the shell's number for that signal.
    setTimeout(() => process.exit(128 + os.constants.signals[signal]), 1000);
  });
}

if (runningNode < OLDEST_NODE_TO_START_FROM) {
  giveUp(`Node ${OLDEST_NODE_TO_START_FROM} or newer is needed to start, but this is ${process.version}.`);
}
const [entryArgument, ...args] = process.argv.slice(2);
await install(entryArgument);
if (entryArgument === undefined) process.exit(0);

// Node keeps its compiled code here, for the next start of this program and of its children. If it cannot write here,
// it compiles again each time.
process.env.NODE_COMPILE_CACHE ??= path.join(root, '.cache', 'compiled');

const entry = path.resolve(root, entryArgument);
if (runningNode >= NODE_THAT_READS_TYPESCRIPT) {
  module.enableCompileCache(process.env.NODE_COMPILE_CACHE);
  process.argv = [process.execPath, entry, ...args];
  whenNpmEnds(() => process.kill(process.pid, 'SIGTERM'));
  await import(pathToFileURL(entry).href);
} else if (existsSync(pinnedNode)) {
  runUnderPinnedNode(entry, args);
} else {
  giveUp(
    `Node ${NODE_THAT_READS_TYPESCRIPT} is needed, but this is ${process.version}, and ${pinnedNode} is missing.`,
  );
}
