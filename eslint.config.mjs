import { existsSync, readdirSync, readFileSync } from 'node:fs';
import js from '@eslint/js';
import nx from '@nx/eslint-plugin';
import regexp from 'eslint-plugin-regexp';
import tseslint from 'typescript-eslint';

const libs = [
  'protocol',
  'contracts',
  'queue',
  'database',
  'billing',
  'runtime',
  'leases',
  'callbacks',
  'sealing',
];

/** Which layer may import from which. Everything else is forbidden. */
const arrows = {
  protocol: [],
  contracts: ['protocol'],
  sealing: ['protocol'],
  queue: ['protocol', 'sealing'],
  database: ['protocol', 'sealing'],
  billing: ['protocol', 'database'],
  runtime: ['protocol', 'queue', 'database'],
  leases: ['protocol', 'database', 'queue', 'runtime'],
  callbacks: ['protocol', 'contracts', 'queue', 'database', 'runtime', 'leases'],
  app: libs,
  tooling: [...libs, 'tooling'],
};

/** Which folder of the gateway may import from which. Every other folder is a domain's, and imports from no other domain's. */
const gatewayArrows = {
  http: [],
  auth: ['http'],
  limits: ['http', 'auth'],
  idempotency: ['http'],
  openapi: ['http', 'auth', 'limits', 'idempotency'],
};
const arrowsOfDomain = ['http', 'openapi'];
/** The same inside `http`; its own files may import from all of these. */
const httpArrows = {
  errors: [],
  routes: ['errors'],
  request: ['errors', 'routes'],
  log: ['errors', 'routes', 'request'],
};

/** Which folder of messaging may import from which: the way of a message, and never back. All may import from `text`. */
const messagingArrows = {
  messages: ['templates', 'audience', 'schedule', 'providers'],
  templates: [],
  links: ['outcome'],
  audience: ['schedule'],
  schedule: ['submit', 'outcome', 'providers'],
  submit: ['reports', 'outcome', 'providers'],
  reports: ['outcome', 'providers'],
  outcome: ['providers'],
  providers: [],
  retention: [],
  text: [],
};

/** npm packages, with their inner paths, that only some layers or projects may import. */
const owners = [
  { packages: ['bullmq', 'ioredis'], importers: ['queue', '@gangan/bench'] },
  { packages: ['pg', 'pg-[^/]+'], importers: ['queue', 'database', 'tooling'] },
  { packages: ['prisma', '.prisma', '@prisma/[^/]+'], importers: ['database'] },
];

const projects = ['apps', 'libs', 'tools']
  .flatMap((parent) => readdirSync(new URL(parent, import.meta.url)).map((folder) => `${parent}/${folder}`))
  .filter((root) => existsSync(new URL(`${root}/package.json`, import.meta.url)))
  .map((root) => {
    const { name, nx } = JSON.parse(readFileSync(new URL(`${root}/package.json`, import.meta.url), 'utf8'));
    return { name, root, isLib: root.startsWith('libs/'), layer: nx.tags[0].replace('layer:', '') };
  });

/**
 * The Nx rule covers neither packages without an entry (apps, tools) nor paths inside a package. So names are restricted
 * too: of `@gangan/*` only the libs that the arrows allow, of the npm packages above only the project's own.
 */
const names = ({ name, layer }, { inTests }) => {
  const layers = inTests ? [...arrows[layer], 'tooling'] : arrows[layer];
  const open = projects.filter(
    (other) => other.isLib && (layers.includes(other.layer) || (inTests && other.name === name)),
  );
  const closed = owners
    .filter(({ importers }) => !importers.includes(layer) && !importers.includes(name))
    .flatMap(({ packages }) => packages);
  return [
    'error',
    noImportOf(
      `^@gangan/(?!(${open.map((other) => other.name.replace('@gangan/', '')).join('|')})$)`,
      `${name} may import only these of @gangan/*: ${open.map((other) => other.name).join(', ') || 'nothing'}`,
    ),
    ...closed.map((pattern) =>
      noImportOf(
        `(^|/node_modules/)${pattern.replace('.', '\\.')}(/|$)`,
        `${name} may not import this package`,
      ),
    ),
  ];
};

/** Covers static and dynamic imports and re-exports. A selector cannot contain a slash. */
const noImportOf = (pattern, message) => ({
  selector: `:matches(ImportDeclaration, ExportNamedDeclaration, ExportAllDeclaration, ImportExpression) > Literal.source[value=/${pattern.replaceAll('/', '\\u002F')}/]`,
  message,
});

const foldersOf = ({ root }) =>
  readdirSync(new URL(`${root}/src`, import.meta.url), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);

const gateway = projects.find(({ name }) => name === '@gangan/gateway');
const gatewayFolders = foldersOf(gateway);
const messaging = projects.find(({ name }) => name === '@gangan/messaging');
const messagingFolders = foldersOf(messaging);

const noImportOfOthers = (folder, folders, allowed) => {
  const open = [folder, ...allowed];
  const closed = folders.filter((other) => !open.includes(other));
  return noImportOf(
    `^(\\.\\./)+(${closed.join('|')})/`,
    `${folder} may import from no other folder than ${open.join(', ')}`,
  );
};

const fences = [
  ...messagingFolders.map((folder) => ({
    project: messaging,
    path: folder,
    fences: [noImportOfOthers(folder, messagingFolders, ['text', ...(messagingArrows[folder] ?? [])])],
  })),
  ...gatewayFolders.map((folder) => ({
    project: gateway,
    path: folder,
    fences: [noImportOfOthers(folder, gatewayFolders, gatewayArrows[folder] ?? arrowsOfDomain)],
  })),
  ...Object.entries(httpArrows).map(([folder, allowed]) => ({
    project: gateway,
    path: `http/${folder}`,
    fences: [
      noImportOfOthers('http', gatewayFolders, gatewayArrows.http),
      noImportOfOthers(folder, Object.keys(httpArrows), allowed),
      noImportOf('^\\.\\./[^/]+$', `http/${folder} may not import from the files of http itself`),
    ],
  })),
];

/** Tests may also import from the tooling layer and from their own package. */
const boundaries = ({ inTests }) => [
  'error',
  {
    enforceBuildableLibDependency: false,
    allowCircularSelfDependency: inTests,
    depConstraints: Object.entries(arrows).map(([layer, allowed]) => ({
      sourceTag: `layer:${layer}`,
      onlyDependOnLibsWithTags: (inTests ? [...allowed, 'tooling'] : allowed).map(
        (target) => `layer:${target}`,
      ),
    })),
  },
];

const maxLength = {
  name: 'class-validator',
  importNames: ['MaxLength'],
  message: 'It does not count variation selectors, but the database does: use MaxLength of libs/contracts.',
};

const tests = ['**/test/**', '**/*.spec.ts'];

/** In tests, what happens at random must repeat: `seededRandom` and fast-check take their seed from FUZZ_SEED. */
const unseeded = {
  message: 'Use seededRandom or fast-check; for names and keys, uniqueName or uniqueBytes of libs/testing.',
  properties: [
    { object: 'Math', property: 'random' },
    { object: 'crypto', property: 'randomUUID' },
    { object: 'crypto', property: 'getRandomValues' },
  ],
  imports: {
    name: 'node:crypto',
    importNames: ['randomBytes', 'randomInt', 'randomUUID', 'randomFillSync', 'getRandomValues'],
  },
};

/** Rules that need no types. Those that do are in .oxlintrc.json, whose compiler is ten times faster. */
export default tseslint.config(
  { ignores: ['**/dist', '**/generated', '**/node_modules'] },
  js.configs.recommended,
  ...tseslint.configs.strict,
  {
    plugins: { '@nx': nx, regexp },
    // As in tsconfig.base.json: a type in the constructor of a decorated class is also a value.
    languageOptions: { parserOptions: { experimentalDecorators: true, emitDecoratorMetadata: true } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      '@nx/enforce-module-boundaries': boundaries({ inTests: false }),
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      'no-restricted-imports': ['error', { paths: [maxLength] }],
      // Patterns whose time grows faster than their input: one long field would block a process.
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': [
        'error',
        { report: 'potential', ignorePartial: false, ignoreSticky: false },
      ],
    },
  },
  { files: tests, rules: { '@nx/enforce-module-boundaries': boundaries({ inTests: true }) } },
  {
    files: [...tests, 'libs/testing/src/**'],
    ignores: ['libs/testing/src/unique.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        ...unseeded.properties.map((property) => ({ ...property, message: unseeded.message })),
      ],
      'no-restricted-imports': [
        'error',
        { paths: [maxLength, { ...unseeded.imports, message: unseeded.message }] },
      ],
    },
  },
  ...projects.flatMap((project) =>
    [false, true].map((inTests) => ({
      files: inTests ? tests.map((pattern) => `${project.root}/${pattern}`) : [`${project.root}/**`],
      rules: { 'no-restricted-syntax': names(project, { inTests }) },
    })),
  ),
  ...fences.flatMap(({ project, path, fences: own }) =>
    [false, true].map((inTests) => ({
      files: [`${project.root}/src/${path}/**${inTests ? '/*.spec.ts' : ''}`],
      rules: { 'no-restricted-syntax': [...names(project, { inTests }), ...own] },
    })),
  ),
  {
    files: ['**/*.mjs'],
    languageOptions: { globals: { console: 'readonly', process: 'readonly', URL: 'readonly' } },
    rules: { '@typescript-eslint/no-extraneous-class': 'off' },
  },
);
