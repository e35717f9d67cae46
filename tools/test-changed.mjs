// `pnpm test:changed`: runs the tests of the projects that a change touches, and of the projects that depend on them. A change
// is everything that differs from origin/main, or from the last commit if there is no such branch. `--base=<commit>` compares
// with another one; further arguments go to Jest.
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const run = (command, ...args) => execFileSync(command, args, { cwd: root, encoding: 'utf8' }).trim();
const attempt = (...args) => spawnSync('git', args, { cwd: root }).status === 0;

/** Files that belong to no project, and the tests that read them. */
const otherFiles = [
  [
    /^(docs\/|README\.md|docker-compose)/,
    ['apps/e2e/', 'apps/gateway/', '\\.config\\.spec', 'libs/contracts/', 'libs/providers/'],
  ],
  [/^(CHANGELOG|SECURITY|LICENSE)/, []],
  // How tests are run.
  [/^(jest\.config\.mjs|tools\/jest\/|\.swcrc|tsconfig\.json)/, ['.']],
];

const given = process.argv.slice(2);
const base =
  given.find((argument) => argument.startsWith('--base='))?.slice('--base='.length) ??
  (attempt('rev-parse', '--verify', '--quiet', 'origin/main')
    ? run('git', 'merge-base', 'origin/main', 'HEAD')
    : 'HEAD');

const affected = JSON.parse(run('nx', 'show', 'projects', '--affected', `--base=${base}`, '--json'));
const folders = ['apps', 'libs', 'tools'].flatMap((parent) =>
  readdirSync(`${root}/${parent}`).map((name) => [`@gangan/${name}`, `${parent}/${name}/`]),
);
const changed = [
  run('git', 'diff', '--name-only', base),
  run('git', 'ls-files', '--others', '--exclude-standard'),
].flatMap((lines) => lines.split('\n'));
const paths = new Set([
  ...folders.filter(([name]) => affected.includes(name)).map(([, folder]) => folder),
  ...otherFiles
    .filter(([pattern]) => changed.some((file) => pattern.test(file)))
    .flatMap(([, tests]) => tests),
]);
if (paths.size === 0) {
  process.stdout.write(`Nothing that has tests differs from ${base}.\n`);
  process.exit();
}
const args = given.filter((argument) => !argument.startsWith('--base='));
process.stdout.write(`Tests of ${[...paths].join(', ')}, which differ from ${base}\n`);
execFileSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: 'inherit' });
const jest = ['--passWithNoTests', ...args, '--testPathPatterns', ...paths];
process.exit(spawnSync('jest', jest, { cwd: root, stdio: 'inherit' }).status ?? 1);
