import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Database } from '@gangan/database';
import { roleNames } from '@gangan/storage';
import { inheritedBy } from '@gangan/protocol';
import { describeWithRedis, freePort, startPostgres, type TestPostgres, until } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type ComposeFile,
  type Declared,
  readCompose,
  readDeclared,
  readVersion,
  type Service,
} from './compose/compose-file.js';
import { composeFaults } from './compose/compose-faults.js';

describe('docker-compose.yml', () => {
  let declared: ReadonlyMap<string, Declared>;
  beforeAll(async () => {
    declared = await readDeclared();
  });
  const faultsOf = (compose: ComposeFile): string[] => composeFaults(compose, declared, readVersion());

  it('gives each service exactly the variables, networks and secrets that it needs', () => {
    expect([...declared.keys()].sort()).toEqual([
      'airtime',
      'callback',
      'contacts',
      'gateway',
      'lookup',
      'messaging',
      'otp',
    ]);
    expect(faultsOf(readCompose())).toEqual([]);
  });

  type Change = (services: Record<string, Service>, compose: ComposeFile) => void;
  const set =
    (service: string, name: string, value?: string): Change =>
    (services) => {
      const environment = (services[service] ??= {}).environment ?? {};
      if (value === undefined) Reflect.deleteProperty(environment, name);
      else environment[name] = value;
    };
  const put =
    (service: string, part: Service): Change =>
    (services) =>
      void (services[service] = { ...services[service], ...part });

  it.each<[string, Change]>([
    ['lookup: does not read OTP_PEPPER', set('lookup', 'OTP_PEPPER', '${OTP_PEPPER}')],
    ['lookup: does not read OTP_PEPPER_FILE', set('lookup', 'OTP_PEPPER_FILE', '/run/secrets/otp_pepper')],
    ['otp: OTP_TEXT contains OTP_QUEUE_KEYS', set('otp', 'OTP_TEXT', '${OTP_QUEUE_KEYS}')],
    [
      'migrate: REDIS_URL contains DATA_MASTER_KEY',
      set('migrate', 'REDIS_URL', 'redis://${DATA_MASTER_KEY}'),
    ],
    ['otp: does not read QUEUE_MASTER_KEY', set('otp', 'QUEUE_MASTER_KEY', '${QUEUE_MASTER_KEY}')],
    [
      'otp: does not take its QUEUE_KEYS from OTP_QUEUE_KEYS',
      set('otp', 'QUEUE_KEYS', '${GATEWAY_QUEUE_KEYS:?missing}'),
    ],
    ['airtime: does not read DATA_MASTER_KEY', set('airtime', 'DATA_MASTER_KEY', '${DATA_MASTER_KEY}')],
    [
      'airtime: does not take its DATA_KEYS from AIRTIME_DATA_KEYS',
      set('airtime', 'DATA_KEYS', '${MESSAGING_DATA_KEYS:?missing}'),
    ],
    ['gateway: lacks TRUSTED_PROXIES', set('gateway', 'TRUSTED_PROXIES')],
    ['otp: lacks QUEUE_KEYS', set('otp', 'QUEUE_KEYS')],
    [
      'otp: does not connect to Postgres as gangan_otp_login with OTP_DATABASE_PASSWORD',
      set('otp', 'DATABASE_URL', 'postgresql://gangan:${POSTGRES_PASSWORD:?}@postgres:5432/gangan'),
    ],
    [
      'otp: does not connect to Postgres as gangan_otp_login with OTP_DATABASE_PASSWORD',
      set(
        'otp',
        'DATABASE_URL',
        'postgresql://gangan_otp_login:${LOOKUP_DATABASE_PASSWORD:?}@postgres/gangan',
      ),
    ],
    ['migrate: lacks OTP_DATABASE_PASSWORD', set('migrate', 'OTP_DATABASE_PASSWORD')],
    ['callback: lacks DATA_KEYS', set('callback', 'DATA_KEYS')],
    ['gateway: does not read DATA_KEYS', set('gateway', 'DATA_KEYS', '${GATEWAY_DATA_KEYS:?missing}')],
    ['admin: does not read BACKUP_KEY', set('admin', 'BACKUP_KEY', '${BACKUP_KEY}')],
    ['redis: does not read QUEUE_KEYS', set('redis', 'QUEUE_KEYS', '${OTP_QUEUE_KEYS}')],
    ['otp: has an env_file, which gives it the secrets of others', put('otp', { env_file: '.env' })],
    ['redis: publishes a port', put('redis', { ports: ['127.0.0.1:6379:6379'] })],
    ['gateway: publishes 3000:3000 beyond this machine', put('gateway', { ports: ['3000:3000'] })],
    [
      'gateway: publishes 0.0.0.0:3000:3000 beyond this machine',
      put('gateway', { ports: ['0.0.0.0:3000:3000'] }),
    ],
    ['postgres: keeps capabilities', put('postgres', { cap_drop: ['NET_RAW'] })],
    ['otp: has the capability SYS_ADMIN', put('otp', { cap_add: ['SYS_ADMIN'] })],
    ['redis: may get new privileges', put('redis', { security_opt: [] })],
    ['postgres: can change its own files', put('postgres', { read_only: false })],
    ['admin: may start any number of processes', put('admin', { pids_limit: 0 })],
    ['callback: is privileged', put('callback', { privileged: true })],
    [
      'otp: its metrics are open on 0.0.0.0, not on 127.0.0.1,${METRICS_SUBNET:-172.31.251.0/24}',
      set('otp', 'METRICS_HOST', '0.0.0.0'),
    ],
    ['otp: is not on the network metrics', put('otp', { networks: { postgres: {}, redis: {} } })],
    [
      'gateway: its metrics are on a network that is not internal',
      (_, { networks }) => void Reflect.deleteProperty(networks['metrics'] ?? {}, 'internal'),
    ],
    [
      'gateway: its metrics are open on 127.0.0.1,${METRICS_SUBNET:-172.31.251.0/24}, not on 127.0.0.1,no subnet',
      (_, { networks }) => void (networks['metrics'] = { internal: true }),
    ],
    ['redis: is on the default network, where it reaches everything', put('redis', { networks: {} })],
    ['postgres: is on public, which others can reach', put('postgres', { networks: { public: {} } })],
    ['redis: must not reach postgres', put('redis', { networks: { redis: {}, postgres: {} } })],
    [
      'postgres: the image postgres:18-bookworm has no exact version and release',
      put('postgres', { image: 'postgres:18-bookworm' }),
    ],
    [
      'redis: the image redis:latest has no exact version and release',
      put('redis', { image: '${REDIS_IMAGE:-redis:latest}' }),
    ],
    [`otp: the image is gangan:latest, this is ${readVersion()}`, put('otp', { image: 'gangan:latest' })],
    [
      'mailer: is unknown: say which variables it reads',
      put('mailer', { image: 'mailer:1.0-x', networks: { metrics: {} } }),
    ],
    ['lookup: there is no such service', (services) => void Reflect.deleteProperty(services, 'lookup')],
    [
      'postgres: is on postgres, which others can reach',
      (_, { networks }) => void (networks['postgres'] = {}),
    ],
  ])('would fail with "%s"', (fault, change) => {
    const compose = structuredClone(readCompose());
    change(compose.services, compose);
    expect(faultsOf(compose)).toContain(fault);
  });

  it('accepts a secret from a file in place of its variable', () => {
    const compose = structuredClone(readCompose());
    set('otp', 'OTP_PEPPER')(compose.services, compose);
    set('otp', 'OTP_PEPPER_FILE', '/run/secrets/otp_pepper')(compose.services, compose);
    expect(faultsOf(compose)).toEqual([]);
  });
});

describe('the environment of an app under `pnpm start`', () => {
  it('has exactly the secrets that the app reads', async () => {
    const declared = [...(await readDeclared())];
    const all = Object.fromEntries(declared.flatMap(([, { secrets }]) => secrets.map((name) => [name, '…'])));
    expect(declared.map(([app]) => [app, Object.keys(inheritedBy(app, all)).toSorted()])).toEqual(
      declared.map(([app, { secrets }]) => [app, secrets.toSorted()]),
    );
  });
});

describe('the database users of docker-compose.yml', () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres.stop());

  /** The variables of a service with the values of an `.env`, for the Postgres of this test. */
  const environmentOf = (service: string): Record<string, string> => {
    const setting = (name: string): string =>
      ({ POSTGRES_PASSWORD: new URL(postgres.url).password, OPERATOR: 'login' })[name] ?? `value-of-${name}`;
    return Object.fromEntries(
      Object.entries(readCompose().services[service]?.environment ?? {}).map(([name, value]) => [
        name,
        String(value)
          .replace(
            /\$\{([A-Z_]+)(?::(?:-([^}]*)|[^}]*))?\}/g,
            (_, of: string, missing?: string) => missing ?? setting(of),
          )
          .replace('@postgres:5432', `@127.0.0.1:${postgres.port}`),
      ]),
    );
  };

  it('are created by its service migrate, each with the role of one app or of operators', async () => {
    const script = fileURLToPath(new URL('../../../tools/migrate/dist/main.js', import.meta.url));
    await promisify(execFile)(process.execPath, [script], { env: environmentOf('migrate') });
    for (const app of roleNames) {
      const service = app === 'operator' ? 'admin' : app;
      const database = new Database({ url: environmentOf(service)['DATABASE_URL'] ?? '', poolSize: 1 });
      const [user] = await database.$queryRaw<object[]>`
        SELECT current_user::text AS name, rolsuper AS "isSuperuser",
          ARRAY(SELECT roleid::regrole::text FROM pg_auth_members WHERE member = pg_roles.oid) AS roles
        FROM pg_roles WHERE rolname = current_user`;
      await database.close();
      expect(user).toEqual({ name: `gangan_${app}_login`, isSuperuser: false, roles: [`gangan_${app}`] });
    }
  });
});

describeWithRedis('the Redis of docker-compose.yml', () => {
  it('starts with its command, keeps the password out of the command line, and asks for it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gangan-compose-'));
    const port = await freePort();
    const [shell = '', flag = '', script = ''] = readCompose().services['redis']?.command ?? [];
    const here = script
      .replaceAll('$$', '$')
      .replace('redis-server -', `redis-server - --bind 127.0.0.1 --port ${port}`);
    const env = { ...process.env, REDISCLI_AUTH: 'open-sesame' };
    const server = spawn(shell, [flag, here], { cwd: folder, env, stdio: 'ignore' });
    try {
      await until('Redis answers', async () => (await send(port, 'PING')) !== '');
      expect(await send(port, 'PING')).toContain('NOAUTH');
      expect(await send(port, 'AUTH wrong')).toContain('WRONGPASS');
      const answer = await send(
        port,
        'AUTH open-sesame\r\nPING\r\nCONFIG GET maxmemory-policy\r\nCONFIG GET appendonly',
      );
      expect(answer).toMatch(/\+OK[^]*\+PONG[^]*noeviction[^]*yes/);
      const commandLine = await readFile(`/proc/${server.pid ?? 0}/cmdline`, 'utf8');
      expect(commandLine).toContain('redis-server');
      expect(commandLine).not.toContain('open-sesame');
    } finally {
      const ended = once(server, 'exit');
      server.kill();
      await ended;
      await rm(folder, { recursive: true });
    }
  });
});

/** Sends commands and returns the answer, or an empty text if no server listens. */
const send = (port: number, commands: string): Promise<string> =>
  new Promise((resolve) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(`${commands}\r\nQUIT\r\n`));
    socket.on('data', (data) => (answer += data.toString()));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      resolve(answer);
    });
  });
