// `pnpm test:changed`: runs the tests of the projects that a change touches, and of the projects that depend on them. A change
// is everything that differs from origin/main, or from the last commit if there is no such branch. `--base=<commit>` compares
// with another one; further arguments go to Jest. With TEST_SUITE=full it also runs the full tests.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const print = (line) => process.stdout.write(`${line}\n`);
const attempt = (...args) => spawnSync('git', args, { cwd: root }).status === 0;

/** Ends with the status of the command if it fails. The command itself has printed why. */
function run(command, args, stdout = 'inherit') {
  const { status, stdout: output } = spawnSync(command, args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['inherit', stdout, 'inherit'],
  });
  if (status !== 0) process.exit(status ?? 1);
  return output;
}
const linesOf = (command, ...args) => run(command, args, 'pipe').split('\n').filter(Boolean);

/** The spec files with these patterns in their text. */
const specsThatName = (...patterns) => {
  const { stdout } = spawnSync(
    'git',
    ['grep', '-l', '--untracked', ...patterns.flatMap((pattern) => ['-e', pattern]), '--', '*.spec.ts'],
    { cwd: root, encoding: 'utf8' },
  );
  return stdout.split('\n').filter(Boolean);
};

/** Files that belong to no project, and the tests that read them. */
const otherFiles = [
  [
    /^(docs\/|ops\/|README\.md|Dockerfile|docker-compose)/,
    () => [
      ...['apps/e2e/', 'apps/gateway/', 'libs/contracts/', 'libs/providers/'],
      ...specsThatName('docs/', 'ops/', 'README\\.md'),
    ],
  ],
  [/^\.ci\//, () => specsThatName('\\.ci/')],
  // How everything is installed, built and tested.
  [
    /^(package\.json|pnpm-workspace\.yaml|nx\.json|\.pnpmfile\.mjs|jest\.config\.mjs|tools\/jest\/|\.swcrc|tsconfig\.json)/,
    () => ['.'],
  ],
];

const given = process.argv.slice(2);
const base =
  given.find((argument) => argument.startsWith('--base='))?.slice('--base='.length) ??
  (attempt('rev-parse', '--verify', '--quiet', 'origin/main')
    ? linesOf('git', 'merge-base', 'origin/main', 'HEAD').join('')
    : 'HEAD');

const changed = [
  ...linesOf('git', 'diff', '--name-only', base),
  ...linesOf('git', 'ls-files', '--others', '--exclude-standard'),
];
const affected = JSON.parse(
  linesOf('nx', 'show', 'projects', '--affected', `--base=${base}`, '--json').join('\n'),
);
const folders = ['apps', 'libs', 'tools'].flatMap((parent) =>
  readdirSync(`${root}/${parent}`).map((name) => [`@gangan/${name}`, `${parent}/${name}/`]),
);
const selected = new Set([
  ...folders.filter(([name]) => affected.includes(name)).map(([, folder]) => folder),
  ...otherFiles
    .filter(([pattern]) => changed.some((file) => pattern.test(file)))
    .flatMap(([, tests]) => tests()),
]);
/** Without the files of a selected folder. */
const paths = selected.has('.')
  ? ['.']
  : [...selected].filter((path) => ![...selected].some((other) => other !== path && path.startsWith(other)));
if (paths.length === 0) {
  print(`No file that has tests was touched since ${base}.`);
  process.exit();
}
print(`Tests of what was touched since ${base}: ${paths.join(', ')}`);
if (process.env['TEST_SUITE'] !== 'full') {
  const isSelected = (file) => paths.some((path) => new RegExp(path).test(file));
  const full = linesOf('git', 'ls-files', '--cached', '--others', '--exclude-standard', '*.full.spec.ts');
  const skipped = full.filter(isSelected);
  if (skipped.length > 0) print(`Run only with TEST_SUITE=full: ${skipped.join(', ')}`);
}
run('npm', ['run', '--silent', 'build']);
const args = given.filter((argument) => !argument.startsWith('--base='));
run('jest', ['--passWithNoTests', ...args, '--testPathPatterns', ...paths]);
