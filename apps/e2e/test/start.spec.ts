import { type Database, sql } from '@gangan/database';
import { TestSystem, until, untilGone } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describeFaults } from './journeys/journeys.js';
import { databaseOf } from './support/database-of.js';

const onLinux = process.platform === 'linux' ? it : it.skip;
const question = { path: '/lookup/phone?phone=08031234567', key: 'sk_test_demo' };

describe('the arguments of the start command', () => {
  const script = fileURLToPath(new URL('../../../tools/start/start.mjs', import.meta.url));
  const run = (...args: string[]) => spawnSync(process.execPath, [script, ...args], { encoding: 'utf8' });

  it('are --help, or an error', () => {
    expect(run('--help')).toMatchObject({ status: 0, stdout: expect.stringContaining('GANGAN_DATA_DIR') });
    expect(run('--port', '1')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('Unknown argument: --port 1'),
    });
  });
});

describe('a started system', () => {
  let system: TestSystem;
  let database: Database;
  let processes: readonly number[];
  let stopped: Promise<number | null> | undefined;
  const end = async (): Promise<number | null> => {
    await database.close();
    processes = system.processes();
    return system.stop();
  };
  const stop = async (): Promise<void> => void (await (stopped ??= end()));
  beforeAll(async () => {
    // The debug level logs the most.
    system = await TestSystem.openEmpty({ LOG_LEVEL: 'debug', RATE_LIMIT_PER_SECOND: '0' });
    await system.start();
    database = await databaseOf(system);
  });
  afterAll(async () => {
    await stop();
    await system.close();
  });
  const logOf = (app: string): Record<string, unknown>[] =>
    readFileSync(join(system.folder, 'logs', `${app}.log`), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Record<string, unknown>);

  it('prints its URL, an example, the data folder and how to stop it', () => {
    const words = [
      `http://localhost:${system.port}`,
      'sk_test_demo',
      'curl ',
      system.folder,
      'logs',
      'Ctrl-C',
    ];
    for (const word of words) expect(system.output).toContain(word);
  });

  it('keeps its data, keys and logs from other users', () => {
    const files = ['', 'logs', 'postgres'].flatMap((folder) => [
      folder,
      ...readdirSync(join(system.folder, folder)).map((name) => join(folder, name)),
    ]);
    expect(files).toEqual(
      expect.arrayContaining([
        'logs/gateway.log',
        'logs/postgres.log',
        'queue-master.key',
        'running.json',
        'start.lock',
      ]),
    );
    const open = files.filter((file) => {
      const entry = statSync(join(system.folder, file));
      // If Postgres runs as another user, its group may enter folders.
      return (entry.mode & (entry.isDirectory() ? 0o067 : 0o077)) !== 0;
    });
    expect(open).toEqual([]);
  });

  onLinux('keeps every idle worker below 150 MB, and below 190 MB on Node 24', async () => {
    const limit = Number(process.versions.node.split('.')[0]) < 24 ? 150 : 190;
    const workers = Object.entries(system.apps()).filter(([name]) => name !== 'gateway');
    expect(workers).toHaveLength(6);
    for (const [name, pid] of workers)
      await until(`${name} takes less than ${limit} MB`, () => residentMegabytes(pid) < limit);
  });

  it('has loaded the Prisma client in each worker whose requests use it, before it was ready', () => {
    const steps = ['loaded the Prisma client', 'serving', 'ready'];
    const workers = Object.keys(system.apps()).filter((name) => name !== 'gateway');
    const order = workers.map((name) => {
      const messages = logOf(name).map(({ msg }) => msg);
      return [name, messages.filter((msg) => steps.includes(String(msg)))];
    });
    const [loading, others] = [
      ['callback', 'contacts', 'lookup', 'messaging'],
      ['airtime', 'otp'],
    ];
    expect(Object.fromEntries(order)).toEqual({
      ...Object.fromEntries(loading.map((name) => [name, steps])),
      ...Object.fromEntries(others.map((name) => [name, steps.slice(1)])),
    });
  });

  it('lets a process of some app take over the leases of every table that has them', async () => {
    const leased = await database.query<{ name: string }>(sql`
      SELECT table_name AS name FROM information_schema.columns WHERE column_name = 'lease_holder' ORDER BY name`);
    const logged = Object.keys(system.apps()).flatMap((app) =>
      logOf(app)
        .filter(({ msg }) => msg === 'holds leases')
        .flatMap(({ tables }) => tables as string[]),
    );
    expect(logged.toSorted()).toEqual(leased.map(({ name }) => name));
  });

  it('restarts a killed worker and names it', async () => {
    const before = system.apps()['lookup'];
    system.killApp('lookup');
    await untilSaid(system, 'lookup is ready again');
    expect(system.output).toContain('lookup ended (signal SIGKILL)');
    expect(system.apps()['lookup']).not.toBe(before);
    expect(await untilAnswered(system)).toMatchObject({ status: 200 });
  });

  it('restarts a killed Postgres', async () => {
    process.kill(system.postgres(), 'SIGKILL');
    await untilSaid(system, 'Postgres ended; starting it again');
    expect(await untilAnswered(system)).toMatchObject({ status: 200 });
  });

  it('reports that it already runs', async () => {
    const second = system.run();
    expect(await second.end()).toBe(1);
    expect(second.output).toContain(`already runs on this data folder: http://localhost:${system.port}`);
    expect(await system.request(question)).toMatchObject({ status: 200 });
  });

  it('reports that the port is taken, and how to choose another', async () => {
    const second = system.run({ GANGAN_DATA_DIR: `${system.folder}/second` });
    expect(await second.end()).toBe(1);
    expect(second.output).toContain(`Port ${system.port} is taken by another program.`);
    expect(second.output).toContain(`PORT=${system.port + 1} npx --yes pnpm@12 start`);
  });

  it('is not outlived by its apps after a kill -9, and starts again with its data', async () => {
    const apps = Object.values(system.apps());
    expect(apps).toHaveLength(7);
    await system.stop('SIGKILL');
    await untilGone(apps);
    await system.start();
    expect(system.output).toContain('Stopping the Postgres that an earlier start left running');
    expect(system.output).not.toMatch(/Creating|Migrated/);
    expect(await system.request(question)).toMatchObject({ status: 200 });
  });

  describeFaults({ system: () => system, database: () => database, stop, redis: undefined });

  it('leaves nothing running when it stops', async () => {
    await stop();
    expect(await stopped).toBe(0);
    expect(processes).toHaveLength(9);
    await untilGone(processes);
  });
});

const residentMegabytes = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

async function untilSaid(system: TestSystem, words: string): Promise<void> {
  await until(`"${words}" is printed`, () => system.output.includes(words));
}

/** During a failure requests may be rejected; after it they succeed. */
async function untilAnswered(system: TestSystem): Promise<{ status: number }> {
  return until('the gateway responds', async () => {
    const response = await system.request(question);
    return response.status < 500 && response;
  });
}
