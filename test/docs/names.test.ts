/** Paths, symbols, settings and scripts in the documents exist. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';

/** Names that belong to other programs. */
const FOREIGN = new Set([
  ...['SO_REUSEPORT', 'CAP_DAC_OVERRIDE', 'NODE_EXTRA_CA_CERTS', 'OTEL_EXPORTER_OTLP_HEADERS'],
  ...['OTEL_TRACES_SAMPLER_ARG', 'OTEL_LOG_LEVEL', 'INVALID_FETCH_SESSION_EPOCH', 'InvalidOffsetException'],
  ...['BinaryMessageDecoder', 'itemSchema', 'readyState', 'CLOSED'],
]);
/** The service reads a secret `X` from the file that the setting `X_FILE` names. */
const FILE_SETTING = /_FILE$/;
const GENERATED = /(^|\/)(node_modules|dist|coverage)$|^\.(?!ci$|github$)/;

function listFiles(folder = '.'): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(folder, entry.name);
    if (!entry.isDirectory()) return [file];
    return GENERATED.test(file) ? [] : listFiles(file);
  });
}

const files = listFiles();
const rooms = new Set(files.filter((file) => file.includes('/')).map((file) => file.split('/')[0]));
const documents = files.filter((file) => /^(CONTRIBUTING|(.*\/)?README|docs\/.*)\.md$/.test(file));
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };

/** Every word outside of documents, except in this test, which has wrong names on purpose. */
const words = new Set(
  files
    .filter((file) => !/^docs\/|^package-lock|^test\/docs\/names|\.(md|png|svg)$/.test(file))
    .flatMap((file) => readFileSync(file, 'utf8').match(/[A-Za-z_$][\w$]*/g) ?? []),
);

/** @returns the unknown parts of a piece of code */
function findUnknown(code: string): string[] {
  const [, script] = /^npm run ([\w:]+)/.exec(code) ?? [];
  if (script !== undefined) return script in scripts ? [] : [`npm run ${script}`];
  // "NNN" and "vN" stand for numbers, <name> for a name.
  if (/[<*{]|NNN|vN/.test(code)) return [];
  if (/^[\w.@-]+(\/[\w.@-]*)+$/.test(code)) {
    return !rooms.has(code.split('/')[0]) || existsSync(code) ? [] : [code];
  }
  if (/^[\w-]+(\.[\w-]+)*\.(ts|sql|mjs|md|avsc)$/.test(code)) {
    return files.some((file) => path.basename(file) === code) ? [] : [code];
  }
  const [symbol = ''] = code.split(/[=(]/);
  if (!/^([a-z]+|[A-Z][a-z0-9]+)([A-Z][a-z0-9]*)+$|^[A-Z][A-Z0-9]+(_[A-Z0-9]+)*$/.test(symbol)) return [];
  const isKnown = [symbol, symbol.replace(FILE_SETTING, '')].some(
    (name) => words.has(name) || FOREIGN.has(name),
  );
  return isKnown ? [] : [symbol];
}

/** The anchors of a document's headings, as on GitHub. */
function anchorsOf(file: string): string[] {
  const headings = readFileSync(file, 'utf8').matchAll(/^#+ (.*)$/gm);
  return Array.from(headings, ([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .replace(/\s/g, '-'),
  );
}

/** @param link a path, an anchor or both, in the document at `file` */
function leadsSomewhere(link: string, file: string): boolean {
  const [target = '', anchor] = link.split('#');
  const linked = target === '' ? file : path.join(path.dirname(file), target);
  return existsSync(linked) && (anchor === undefined || anchorsOf(linked).includes(anchor));
}

/** The unknown names of a document at `file`. */
function findFaults(file: string, text: string): string[] {
  const prose = text.replace(/^( *)```.*?^\1```/gms, '');
  const names = [...prose.matchAll(/`([^`\n]+)`/g)].flatMap(([, code = '']) => findUnknown(code));
  const commands = [...text.matchAll(/^.*\bnpm (?:run|test|start)\b.*$/gm)].flatMap(([line]) =>
    [...line.matchAll(/\bnpm run [\w:]+|(?<=\s)test\/[\w./-]+/g)].flatMap(([code]) => findUnknown(code)),
  );
  const links = [...prose.matchAll(/\]\((?![a-z]+:)([^)\s]+)\)/g)].map(([, link = '']) => link);
  return [...new Set([...names, ...commands]), ...links.filter((link) => !leadsSomewhere(link, file))];
}

test.each(documents)('%s names only what exists', (file) => {
  expect(findFaults(file, readFileSync(file, 'utf8'))).toEqual([]);
});

test('a name that does not exist is found', () => {
  const right =
    '`createOpenApi`, `feed/merge.ts`, `PORT=1`, `npm run bench -- x`, [x](scaling.md#sizing), `store/<room>/`';
  expect(findFaults('docs/x.md', right)).toEqual([]);
  const wrong =
    '`shareFacetz`, `feed/entri.ts`, `entri.ts`, `PORTZ=1`, `RequestLimiterz`, `npm run benchz -- x`, [x](scalingz.md), [x](scaling.md#sizingz)';
  expect(findFaults('docs/x.md', wrong)).toEqual([
    ...['shareFacetz', 'feed/entri.ts', 'entri.ts', 'PORTZ', 'RequestLimiterz', 'npm run benchz'],
    ...['scalingz.md', 'scaling.md#sizingz'],
  ]);
  const block = '```\nnpm run benchz -- reads\nPORT=1 npm test -- test/docs/names.test.ts test/docz\n```';
  expect(findFaults('docs/x.md', block)).toEqual(['npm run benchz', 'test/docz']);
});
