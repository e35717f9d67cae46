import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';

const root = new URL('../../', import.meta.url);

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
  'http-client',
  'providers',
];

/** For tools, and for tests. */
const forTools = ['storage'];

/** Packages that only some projects may import. */
const importersOf = { '@gangan/management': ['@gangan/admin'] };

/** From which layers a layer may import; it may import from no other, its own included. */
const layers = {
  protocol: [],
  contracts: ['protocol'],
  sealing: ['protocol'],
  queue: ['protocol', 'sealing'],
  database: ['protocol', 'sealing'],
  storage: ['protocol', 'sealing', 'database'],
  billing: ['protocol', 'database'],
  runtime: ['protocol', 'sealing', 'queue', 'database'],
  leases: ['protocol', 'database', 'queue', 'runtime'],
  callbacks: ['protocol', 'contracts', 'queue', 'database', 'runtime', 'leases'],
  'http-client': ['protocol', 'contracts'],
  providers: ['protocol', 'contracts', 'sealing', 'database', 'http-client'],
  management: [
    ...['protocol', 'contracts', 'sealing', 'queue', 'database', 'storage'],
    ...['billing', 'leases', 'callbacks', 'http-client', 'providers'],
  ],
  app: libs,
  // A package for customers: no app uses it, and it uses nothing.
  sdk: [],
  tooling: [...libs, ...forTools, 'sdk', 'management', 'tooling'],
};

/** npm packages that only some layers or projects may import. */
const owners = [
  { packages: /^(bullmq|ioredis)$/, importers: ['queue', '@gangan/bench'] },
  { packages: /^pg(-.*)?$/, importers: ['queue', 'database', 'storage', 'tooling'] },
  { packages: /^(prisma|\.prisma|@prisma)$/, importers: ['database', 'storage'] },
];

/**
 * From which sibling folders a folder may import. `others` is for folders that are not listed. All may import the files
 * directly in `path`, unless they are `internal`.
 */
const areas = [
  {
    path: 'apps/gateway/src',
    folders: {
      http: [],
      storage: [],
      auth: ['http'],
      limits: ['http', 'auth'],
      idempotency: ['http', 'storage'],
      home: ['http', 'auth', 'openapi'],
      openapi: ['http', 'auth', 'limits', 'idempotency', 'storage'],
    },
    // Domains.
    others: ['http', 'storage', 'openapi'],
  },
  {
    path: 'apps/gateway/src/http',
    folders: {
      pages: [],
      errors: ['pages'],
      routes: ['errors'],
      request: ['errors', 'routes'],
      log: ['errors', 'routes', 'request'],
      metrics: ['errors', 'request'],
    },
    others: [],
    internal: true,
  },
  {
    // In the order of the steps of a message, never back.
    path: 'apps/messaging/src',
    folders: {
      estimates: ['messages', 'submit', 'outcome'],
      messages: ['text', 'inbox', 'templates', 'audience', 'windows', 'schedule', 'outcome', 'providers'],
      changes: ['messages', 'audience', 'outcome'],
      links: ['text', 'outcome'],
      audience: ['text', 'windows', 'schedule', 'outcome', 'providers'],
      windows: ['inbox', 'providers'],
      schedule: ['text', 'submit', 'outcome', 'providers'],
      inbound: ['text', 'inbox', 'reports', 'outcome', 'providers'],
      inbox: ['text', 'providers'],
      keywords: ['inbox', 'opt-outs', 'messages'],
      simulator: ['inbox', 'outbox', 'providers'],
      providers: ['text', 'outbox'],
      submit: ['text', 'windows', 'reports', 'outcome', 'providers'],
      reports: ['text', 'outcome', 'providers'],
      outcome: ['text', 'providers', 'opt-outs'],
    },
    others: ['text'],
  },
];

const projects = new Map(
  ['apps', 'libs', 'tools']
    .flatMap((parent) => readdirSync(new URL(parent, root)).map((folder) => `${parent}/${folder}`))
    .filter((path) => existsSync(new URL(`${path}/package.json`, root)))
    .map((path) => {
      const { name, nx } = JSON.parse(readFileSync(new URL(`${path}/package.json`, root), 'utf8'));
      return [path, { name, path, layer: nx.tags[0].replace('layer:', '') }];
    }),
);

/**
 * Why a file may not import something; undefined if it may.
 *
 * @param {string} file relative to the root of the repository
 * @param {string} specifier as in the import statement
 * @returns {string | undefined}
 */
export function importFault(file, specifier) {
  const project = projectOf(file);
  if (!project) return undefined;
  if (!specifier.startsWith('.') || specifier.startsWith('.prisma'))
    return packageFault(project, file, specifier);
  const target = posix.join(posix.dirname(file), specifier);
  const inPackage = target.split('node_modules/').at(1);
  if (inPackage !== undefined) return packageFault(project, file, inPackage);
  if (projectOf(target) !== project) return `${project.name} may import other projects only by their name`;
  return areas.map((area) => folderFault(area, file, target)).find(Boolean);
}

const projectOf = (file) => projects.get(file.split('/').slice(0, 2).join('/'));

/** Tests may also import from the tooling layer, from what tools use, and from their own package. */
function packageFault({ name, layer, path }, file, specifier) {
  const [first, second] = specifier.split('/');
  const isTest = /\/test\/|\.spec\.ts$/.test(file);
  if (layer === 'sdk' && !isTest && file.startsWith(`${path}/src/`))
    return `${name} also runs in browsers, without packages or modules of Node`;
  if (first === '@gangan') {
    const allowed = isTest ? [...layers[layer], ...forTools, 'tooling'] : layers[layer];
    // Tests of the whole system run its commands in their own process.
    const isCommandLine = (other) => name === '@gangan/e2e' && other.name === '@gangan/admin';
    const open = [...projects.values()]
      .filter((other) => other.path.startsWith('libs/') || isCommandLine(other))
      .filter((other) => allowed.includes(other.layer) || (isTest && other.name === name))
      .filter((other) => importersOf[other.name]?.includes(name) ?? true)
      .map((other) => other.name);
    if (open.includes(specifier)) return undefined;
    return `${name} may import only these of @gangan/*: ${open.join(', ') || 'nothing'}`;
  }
  const owned = owners.find(({ packages }) => packages.test(first));
  if (!owned || owned.importers.includes(layer) || owned.importers.includes(name)) return undefined;
  return `${name} may not import ${first.startsWith('@') ? `${first}/${second}` : first}`;
}

function folderFault({ path, folders, others, internal = false }, file, target) {
  const from = folderIn(path, file);
  const to = folderIn(path, target);
  if (!from || to === undefined || from === to) return undefined;
  if (to === '') return internal ? `${path}/${from} may not import the files of ${path} itself` : undefined;
  const allowed = folders[from] ?? others;
  if (allowed.includes(to)) return undefined;
  return `${path}/${from} may import from no other folder than ${[from, ...allowed].join(', ')}`;
}

/** The folder of a file below `path`: '' for files directly in it, undefined for files outside of it. */
function folderIn(path, file) {
  if (!file.startsWith(`${path}/`)) return undefined;
  const [folder, ...rest] = file.slice(path.length + 1).split('/');
  return rest.length > 0 ? folder : '';
}
