import { execFile, execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe } from '@jest/globals';
import { parse } from 'yaml';

const run = promisify(execFile);

/** The rules of alerts and objectives. */
export const RULES = resolve(import.meta.dirname, '../../../ops/monitoring/alerts.yml');

/** Whether a program of Prometheus is installed. Debian's package "prometheus" has both. */
export function hasProgram(name: 'promtool' | 'prometheus'): boolean {
  try {
    execFileSync(name, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

export const describeWithPromtool = hasProgram('promtool') ? describe : describe.skip;

/** Runs promtool. @returns its output if it fails; empty if it succeeds */
export function promtool(...args: string[]): Promise<string> {
  return run('promtool', args).then(
    () => '',
    ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr,
  );
}

/** The groups of rules that look at hours, and those that look at minutes. */
type RuleGroups = 'objectives' | 'others';

/**
 * Tests some of the rules with promtool, because all of them would take long. @returns the differences; empty if there
 * are none
 */
export async function testRules(
  groups: RuleGroups,
  evaluationSeconds: number,
  tests: readonly object[],
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'rules-'));
  try {
    const file = join(folder, 'test.yml');
    const all: { name: string }[] = parse(await readFile(RULES, 'utf8')).groups;
    const tested = all.filter(({ name }) => name.startsWith('objectives') === (groups === 'objectives'));
    await writeFile(join(folder, 'rules.yml'), JSON.stringify({ groups: tested }));
    const content = { rule_files: ['rules.yml'], evaluation_interval: `${evaluationSeconds}s`, tests };
    await writeFile(file, JSON.stringify(content));
    return await promtool('test', 'rules', file);
  } finally {
    await rm(folder, { recursive: true });
  }
}
