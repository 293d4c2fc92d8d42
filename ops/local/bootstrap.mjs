/**
 * The way into every npm script: `node ops/local/bootstrap.mjs <entry.ts> [arguments...]`.
 *
 * A fresh clone has neither packages nor the right Node, so this file is plain JavaScript that an older Node can read
 * and imports nothing from npm. It installs the packages of package-lock.json if they are missing, then runs the entry
 * under Node 24: in this process if that is new enough, or else under the Node of the `node` package. Its own messages
 * go to standard error; standard output belongs to the entry, since `npm run ops -- keys create` prints a key there and
 * nothing else.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, lstatSync, readFileSync } from 'node:fs';
import module from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const OLDEST_NODE_TO_START_FROM = 20;
const NODE_THAT_READS_TYPESCRIPT = 24;
const OLDEST_NPM = 10;

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
const pinnedNode = path.join(root, 'node_modules', 'node', 'bin', 'node');
const runningNode = Number.parseInt(process.versions.node, 10);

function say(line) {
  process.stderr.write(`${line}\n`);
}

function giveUp(line) {
  say(line);
  process.exit(1);
}

function readLock(...names) {
  try {
    return JSON.parse(readFileSync(path.join(root, ...names), 'utf8')).packages ?? {};
  } catch {
    return null;
  }
}

/** Whether node_modules differs from the lock file, by npm's own record of the packages that it installed. */
function packagesAreStale() {
  const installed = readLock('node_modules', '.package-lock.json');
  if (installed === null) return true;
  const wanted = readLock('package-lock.json') ?? {};
  const productionOnly = process.env.NODE_ENV === 'production';
  for (const [name, entry] of Object.entries(wanted)) {
    if (name === '' || entry.optional || entry.devOptional || (productionOnly && entry.dev)) continue;
    if (installed[name]?.version !== entry.version) return true;
  }
  return Object.entries(installed).some(([name, entry]) => wanted[name]?.version !== entry.version);
}

function installPackages() {
  const npmVersion = Number(/^npm\/(\d+)/.exec(process.env.npm_config_user_agent ?? '')?.[1] ?? OLDEST_NPM);
  if (npmVersion < OLDEST_NPM) {
    giveUp(`npm ${OLDEST_NPM} or newer is needed, but this is npm ${npmVersion}: run "npm install -g npm".`);
  }
  const folder = path.join(root, 'node_modules');
  if (lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink()) {
    // npm ci would empty the folder that others use.
    giveUp(`${folder} is a link to a folder whose packages differ from package-lock.json: remove the link.`);
  }
  say('Installing the packages of package-lock.json (npm ci); this happens once ...');
  // npm tells its scripts its own path; without it, the shell finds an npm.
  const npm = process.env.npm_execpath;
  const [command, first] = npm?.endsWith('.js') ? [process.execPath, [npm]] : ['npm', []];
  const { status, error } = spawnSync(
    command,
    [...first, 'ci', '--loglevel=error', '--no-audit', '--no-fund'],
    {
      cwd: root,
      stdio: ['ignore', 2, 2],
    },
  );
  if (error) giveUp(`npm could not be started (${error.message}): install npm ${OLDEST_NPM} or newer.`);
  if (status !== 0) giveUp('npm ci failed; its message is above.');
}

/**
 * Calls back once npm has gone, as after a SIGKILL; without this, the entry would run on with nobody to stop it. npm
 * passes other signals on: package.json's scripts begin with `exec`, since a shell in between would keep them.
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

/** Runs the entry under the pinned Node, passes signals on to it, and ends as it ends. */
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
if (entryArgument === undefined) giveUp('usage: node ops/local/bootstrap.mjs <entry.ts> [arguments...]');
if (packagesAreStale()) installPackages();

// Node keeps the code that it has compiled here, for the next start of this program and of those that it starts. If it
// cannot write here, it compiles again each time.
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
    `Node ${NODE_THAT_READS_TYPESCRIPT} is needed, but this is ${process.version}; the one in devDependencies is not ` +
      'installed (NODE_ENV=production leaves it out).',
  );
}
