import { serverFolder } from '../server-folder.js';
import { startPostgres, type TestPostgres } from './postgres.js';
import { runSql } from './run-sql.js';

/**
 * A database of the server that the spec files of this process share. As they run one after the other, a test may kill
 * and restart the server.
 */
export interface TestDatabase extends Pick<TestPostgres, 'url' | 'kill' | 'restart'> {
  drop(): Promise<void>;
}

/** Prepares an empty database, such as `migrate` of `@gangan/storage`, which this package does not import. */
type Preparation = (url: string) => Promise<unknown>;

let server: Promise<TestPostgres> | undefined;
const templates = new Map<string, Promise<string>>();
const numbers = new Map<Preparation, number>();
let created = 0;

/**
 * Creates a database with these preparations. The first call starts a server, which ends with the process; the first
 * with the same preparations applies the last of them to a copy of the template of the others, and every further database
 * is a copy of that template.
 *
 * Tests that need other settings or roles of the server start their own with `startPostgres`.
 */
export async function createTestDatabase(...preparations: Preparation[]): Promise<TestDatabase> {
  // Deadlocks are found at once; statistics and dead rows change only when a test changes them.
  const settings = { deadlock_timeout: '20ms', autovacuum: 'off' };
  const postgres = await (server ??= startPostgres(settings, serverFolder()));
  const { url } = postgres;
  const template = await templateOf(url, preparations);
  created += 1;
  const name = `test_${created}`;
  await copy(url, template, name);
  return {
    url: named(url, name),
    kill: () => postgres.kill(),
    restart: () => postgres.restart(),
    drop: async () => void (await runSql(url, `DROP DATABASE ${name} WITH (FORCE)`)),
  };
}

function templateOf(url: string, preparations: readonly Preparation[]): Promise<string> {
  const last = preparations.at(-1);
  if (!last) return Promise.resolve('template1');
  const name = `template_${preparations.map(numberOf).join('_')}`;
  const template = templates.get(name) ?? makeTemplate(url, name, preparations.slice(0, -1), last);
  templates.set(name, template);
  return template;
}

function numberOf(preparation: Preparation): number {
  const number = numbers.get(preparation) ?? numbers.size + 1;
  numbers.set(preparation, number);
  return number;
}

async function makeTemplate(
  url: string,
  name: string,
  earlier: readonly Preparation[],
  last: Preparation,
): Promise<string> {
  await copy(url, await templateOf(url, earlier), name);
  await last(named(url, name));
  return name;
}

/** Copies without a WAL record for each page, which would take five times the processor time. */
const copy = (url: string, template: string, name: string): Promise<unknown> =>
  runSql(url, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`);

function named(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  return changed.href;
}
