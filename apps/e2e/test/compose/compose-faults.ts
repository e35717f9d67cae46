import { spendLimitVariables } from '@gangan/database';
import { appNames } from '@gangan/protocol';
import type { ComposeFile, Declared, Service } from './compose-file.js';
import { hardeningFaults, metricsFaults, portFaults } from './hardening-faults.js';

/**
 * Variables of the image or of its defaults: a container has its own addresses, the queues are in Redis, the database is in
 * another container, and in production the simulator serves no live organisation.
 */
const fixed = [
  ...['HOST', 'PORT', 'METRICS_PORT', 'QUEUE_POOL_SIZE', 'SIMULATE_LIVE'],
  ...['DATABASE_FOLDER', 'DATABASE_MIN_FREE_BYTES'],
];
/** Variables of Node and of the C library. */
const ofProcess = ['NODE_OPTIONS', 'MALLOC_ARENA_MAX'];

const passwordOf = (app: string): string => `${app.toUpperCase()}_DATABASE_PASSWORD`;
/** The setting with the keys of an app. */
const keysOf = (app: string, variable: string): string => `${app.toUpperCase()}_${variable}`;
const keyVariables = ['QUEUE_KEYS', 'DATA_KEYS'];

const ofAdmin = [
  ...['DATABASE_URL', 'REDIS_URL', 'QUEUE_MASTER_KEY', 'QUEUE_KEY', 'DATA_MASTER_KEY'],
  ...['DEFAULT_REGION', 'PUBLIC_URL', 'GANGAN_ACTOR'],
];

/** What the services that are no app read. */
const others: Readonly<Record<string, readonly string[]>> = {
  migrate: [
    ...['NODE_ENV', 'DATABASE_URL', 'REDIS_URL'],
    ...spendLimitVariables,
    ...[...appNames, 'operator'].map(passwordOf),
  ],
  admin: ofAdmin,
  owner: [...ofAdmin, 'BACKUP_KEY'],
  postgres: ['POSTGRES_USER', 'POSTGRES_DB', 'POSTGRES_PASSWORD'],
  redis: ['REDISCLI_AUTH'],
};

/** A setting of the operator becomes the variable of the same name, except for these. */
const otherUses: Readonly<Record<string, readonly string[]>> = {
  POSTGRES_PASSWORD: ['DATABASE_URL'],
  REDIS_PASSWORD: ['REDIS_URL', 'REDISCLI_AUTH'],
  ...Object.fromEntries(
    keyVariables.flatMap((variable) => appNames.map((app) => [keysOf(app, variable), [variable]])),
  ),
  ...Object.fromEntries([...appNames, 'operator'].map((app) => [passwordOf(app), ['DATABASE_URL']])),
  OPERATOR: ['DATABASE_URL'],
  USER: ['GANGAN_ACTOR'],
  METRICS_SUBNET: ['METRICS_HOST'],
};

const stores = ['postgres', 'redis'];

/** Everything in docker-compose.yml that gives a service more than it needs, or less. */
export function composeFaults(
  compose: ComposeFile,
  declared: ReadonlyMap<string, Declared>,
  version: string,
): string[] {
  const services = Object.entries(compose.services);
  const missing = [...declared.keys(), ...Object.keys(others)].filter((name) => !(name in compose.services));
  return [
    ...missing.map((name) => `${name}: there is no such service`),
    ...services.flatMap(([name, service]) =>
      [
        ...variableFaults(service, declared.get(name), others[name]),
        ...useFaults(service),
        ...(declared.has(name)
          ? [...userFaults(name, service), ...keyFaults(name, service), ...metricsFaults(service, compose)]
          : []),
        ...imageFaults(service, version),
        ...networkFaults(name, service, compose, declared),
        ...portFaults(name, service),
        ...hardeningFaults(name, service),
        ...(service.env_file === undefined ? [] : ['has an env_file, which gives it the secrets of others']),
      ].map((fault) => `${name}: ${fault}`),
    ),
  ];
}

function variableFaults(
  { environment = {} }: Service,
  app: Declared | undefined,
  listed: readonly string[] | undefined,
): string[] {
  const { names, secrets } = app ?? { names: listed ?? [], secrets: [] };
  const isFile = (given: string, name: string): boolean => secrets.includes(name) && given === `${name}_FILE`;
  const given = Object.keys(environment);
  const unread = given.filter(
    (one) => ![...names, ...(app ? ofProcess : [])].some((name) => one === name || isFile(one, name)),
  );
  const absent = names.filter(
    (name) => !fixed.includes(name) && !given.some((one) => one === name || isFile(one, name)),
  );
  return [
    ...(app || listed ? [] : ['is unknown: say which variables it reads']),
    ...unread.map((name) => `does not read ${name}`),
    ...absent.map((name) => `lacks ${name}`),
  ];
}

/** A secret must not travel under the name of a variable that the service may have. */
function useFaults({ environment = {} }: Service): string[] {
  return Object.entries(environment).flatMap(([name, value]) =>
    [...String(value).matchAll(/\$\{([A-Z_]+)/g)]
      .map(([, setting = '']) => setting)
      .filter((setting) => setting !== name && !otherUses[setting]?.includes(name))
      .map((setting) => `${name} contains ${setting}`),
  );
}

/** An app must connect as its own user, not as the owner of the tables or as another app. */
function userFaults(app: string, { environment = {} }: Service): string[] {
  const user = `gangan_${app}_login`;
  const isOwn = String(environment['DATABASE_URL']).startsWith(
    `postgresql://${user}:\${${passwordOf(app)}:?`,
  );
  return isOwn ? [] : [`does not connect to Postgres as ${user} with ${passwordOf(app)}`];
}

/** An app must have its own keys, and not those of another app. */
const keyFaults = (app: string, { environment = {} }: Service): string[] =>
  keyVariables
    .filter((name) => {
      const value = environment[name];
      return value !== undefined && !String(value).startsWith(`\${${keysOf(app, name)}:?`);
    })
    .map((name) => `does not take its ${name} from ${keysOf(app, name)}`);

function imageFaults({ image = '' }: Service, version: string): string[] {
  const [, preset = image] = /^\$\{[A-Z_]+:-(.*)\}$/.exec(image) ?? [];
  const [name, tag = ''] = preset.split(':');
  if (name === 'gangan') return tag === version ? [] : [`the image is ${preset}, this is ${version}`];
  return /^\d+\.\d+(\.\d+)?-[a-z]+$/.test(tag)
    ? []
    : [`the image ${preset} has no exact version and release`];
}

function networkFaults(
  name: string,
  { networks = {} }: Service,
  compose: ComposeFile,
  apps: ReadonlyMap<string, Declared>,
): string[] {
  const own = Object.keys(networks);
  const foreign = own.filter(
    (network) =>
      stores.includes(network) &&
      network !== name &&
      !apps.has(name) &&
      !['migrate', 'admin', 'owner'].includes(name),
  );
  const open = own.filter((network) => !compose.networks[network]?.internal);
  return [
    ...(own.length > 0 ? [] : ['is on the default network, where it reaches everything']),
    ...foreign.map((network) => `must not reach ${network}`),
    ...(stores.includes(name) ? [...open, ...own.filter((network) => network !== name)] : []).map(
      (network) => `is on ${network}, which others can reach`,
    ),
  ];
}
