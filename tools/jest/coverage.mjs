// `pnpm coverage <folder>…`: the share of the lines and branches of `apps` and `libs` that test runs execute, in all their
// processes. NODE_V8_COVERAGE=<folder> makes a run write what it needs. Folders are compared over the same lines and
// branches: those of the code that any of these runs has loaded. A process that is killed writes nothing.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { compile, sourceMapOf } from './compiler.mjs';
import { decodeMappings } from './source-mappings.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const isCounted = (path) =>
  /^(apps|libs)\/[^/]+\/src\/.*\.ts$/.test(path) && !/^libs\/testing\/|\/generated\/|\.spec\.ts$/.test(path);

/** By URL. Undefined if a script has no code that counts. */
const scripts = new Map();

const startsOf = (lengths) => {
  let start = 0;
  return lengths.map((length) => (start += length + 1) - length - 1);
};

/** Where the statements of a script are in the source files. */
async function readScript(url, cached) {
  if (url.endsWith('.ts')) {
    const path = fileURLToPath(url);
    if (!isCounted(relative(root, path))) return undefined;
    const code = await compile(path);
    const map = JSON.parse(readFileSync(sourceMapOf(path), 'utf8'));
    const lengths = code.split('\n').map(({ length }) => length);
    return probesOf(startsOf(lengths), { ...map, sources: [path] }, url);
  }
  return cached?.data ? probesOf(startsOf(cached.lineLengths), cached.data, cached.url ?? url) : undefined;
}

function probesOf(starts, map, base) {
  const sources = map.sources.map((source) => {
    const path = relative(root, fileURLToPath(new URL(source, new URL(map.sourceRoot || '.', base))));
    return isCounted(path) ? path : undefined;
  });
  const probes = decodeMappings(map.mappings).flatMap(({ line, column, source, sourceLine, sourceColumn }) =>
    sources[source] === undefined
      ? []
      : [{ offset: starts[line] + column, path: sources[source], sourceLine, sourceColumn }],
  );
  return probes.length > 0 ? { probes, branches: new Set() } : undefined;
}

const firstFrom = (probes, offset) => {
  let [low, high] = [0, probes.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (probes[middle].offset < offset) low = middle + 1;
    else high = middle;
  }
  return low;
};

const filesOf = (folder) => readdirSync(folder).filter((name) => /^coverage-.*\.json$/.test(name));
const read = (folder, name) => JSON.parse(readFileSync(join(folder, name), 'utf8'));

/** V8 reports a branch only if its count differs from that of the code around it, so all runs are searched for branches. */
async function findBranches(folder) {
  for (const name of filesOf(folder)) {
    const { result, 'source-map-cache': maps = {} } = read(folder, name);
    for (const { url, functions } of result) {
      if (!url.startsWith(`file://${root}`) || url.includes('/node_modules/')) continue;
      if (!scripts.has(url)) scripts.set(url, await readScript(url, maps[url]));
      const script = scripts.get(url);
      if (!script) continue;
      for (const { ranges, isBlockCoverage } of functions)
        if (isBlockCoverage)
          for (const { startOffset } of ranges) script.branches.add(firstFrom(script.probes, startOffset));
    }
  }
}

/** Calls `visit` with the index of each probe that was executed: the innermost range around it has a count. */
function visitExecuted(probes, functions, visit) {
  const ranges = functions
    .flatMap(({ ranges }) => ranges)
    .sort((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset);
  const around = [];
  let next = 0;
  for (const [index, { offset }] of probes.entries()) {
    for (; next < ranges.length && ranges[next].startOffset <= offset; next += 1) around.push(ranges[next]);
    while (around.length > 0 && around.at(-1).endOffset <= offset) around.pop();
    if ((around.at(-1)?.count ?? 0) > 0) visit(index);
  }
}

const lineOf = ({ path, sourceLine }) => `${path}:${sourceLine}`;
const branchOf = ({ path, sourceLine, sourceColumn }) => `${path}:${sourceLine}:${sourceColumn}`;

function executedBy(folder) {
  const executed = { lines: new Set(), branches: new Set() };
  for (const name of filesOf(folder))
    for (const { url, functions } of read(folder, name).result) {
      const script = scripts.get(url);
      if (!script) continue;
      visitExecuted(script.probes, functions, (index) => {
        executed.lines.add(lineOf(script.probes[index]));
        if (script.branches.has(index)) executed.branches.add(branchOf(script.probes[index]));
      });
    }
  return executed;
}

const folders = process.argv.slice(2);
if (folders.length === 0) throw new Error('Name the folders that NODE_V8_COVERAGE named in the test runs.');
for (const folder of folders) await findBranches(folder);
const all = { lines: new Set(), branches: new Set() };
for (const script of scripts.values())
  for (const [index, probe] of script?.probes.entries() ?? []) {
    all.lines.add(lineOf(probe));
    if (script.branches.has(index)) all.branches.add(branchOf(probe));
  }
const percent = (part, whole) => `${((100 * part.size) / whole.size).toFixed(2)} %`;
for (const folder of folders) {
  const { lines, branches } = executedBy(folder);
  process.stdout.write(
    `${folder}: ${percent(lines, all.lines)} of ${all.lines.size} lines, ` +
      `${percent(branches, all.branches)} of ${all.branches.size} branches\n`,
  );
}
