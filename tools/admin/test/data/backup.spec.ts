import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gunzipSync, gzipSync } from 'node:zlib';
import { Database, pendingMigrations, Prisma, sql } from '@gangan/database';
import { createBackup, migrate } from '@gangan/storage';
import { lookupPhone } from '@gangan/contracts';
import { newContext, newId, runInContext } from '@gangan/protocol';
import { MasterKeys, migrateQueue, newQueueKey, Queues } from '@gangan/queue';
import { backupSealer, type DataSealer, masterSealer, newSealingKey } from '@gangan/sealing';
import {
  anOrganisation,
  createTestDatabase,
  describeWithRedis,
  runSql,
  startRedis,
  type TestDatabase,
  until,
} from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AdminCli, dataKey } from '../support/admin-cli.js';
import { AdminFixture } from '../support/admin-fixture.js';
import { aNumber, plantNumber } from '../support/planted-number.js';

/** Each character that COPY escapes, and a text that looks like the end of the rows. */
const oddText = '\\.\n\\.\n\ttab\r\\N "quoted" é 😀 \\';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

const fixture = AdminFixture.use();
const targets: TestDatabase[] = [];
let source: TestDatabase;
let database: Database;
let folder: string;
let live: string;
let number = 0;

const backupKey = newSealingKey();
const newFile = (): string => join(folder, `${(number += 1)}.backup`);
const ownerOf = (url: string, environment: Record<string, string> = {}): AdminCli =>
  new AdminCli(() => ({
    DATABASE_URL: url,
    GANGAN_ACTOR: 'ada',
    BACKUP_KEY: backupKey,
    ...environment,
  }));

async function emptyDatabase(): Promise<string> {
  const target = await createTestDatabase();
  targets.push(target);
  return target.url;
}

async function backUp(): Promise<string> {
  const file = newFile();
  expect(await ownerOf(source.url).run('backup', 'create', file)).toMatchObject({ code: 0 });
  return file;
}

let shared: Promise<string> | undefined;
/** A backup that the tests share. */
const aBackup = (): Promise<string> => (shared ??= backUp());

const restore = (url: string, file: string, ...flags: string[]) =>
  ownerOf(url).run('backup', 'restore', file, '--yes', ...flags);

beforeAll(async () => {
  folder = await fixture.folder();
  source = await createTestDatabase(migrate, migrateQueue);
  database = new Database({ url: source.url, poolSize: 2 });
  ({ id: live } = await anOrganisation(database, { mode: 'live', balanceKobo: 5_000n }));
  await anOrganisation(database, { mode: 'test', balanceKobo: 7_000n, status: 'suspended' });
  await plantNumber(database, live, aNumber(), aNumber());
  // Not backed up: it has no meaning on another server.
  await database.execute(sql`UPDATE contact_row SET created_xid = NULL`);
  const admin = ownerOf(source.url);
  await admin.json('organisations', 'create', 'Acme');
  await admin.json('keys', 'issue', 'acme/live', '--name', 'Shop', '--scopes', 'all');
  await admin.json('top-up', 'acme/live', '99.50', '--note', 'x');
  await database.callbackSecret.create({
    data: sealedSecret(masterSealer([dataKey])),
  });
  await database.account.update({
    where: { id: (await database.organisation.findUniqueOrThrow({ where: { id: live } })).accountId },
    data: { name: oddText },
  });
});

afterAll(async () => {
  await database.close();
  for (const target of [...targets, source]) await target.drop();
});

function sealedSecret(sealer: DataSealer) {
  const id = newId();
  const place = { column: 'callback_secret.sealed_secret', organisationId: live, id } as const;
  return { id, organisationId: live, sealedSecret: Uint8Array.from(sealer.seal('whsec_x', place)) };
}

/** A digest of the rows of each table. */
async function rowsOf(url: string): Promise<Record<string, string>> {
  const reader = new Database({ url, poolSize: 1 });
  const tables = await reader.query<{ name: string }>(
    sql`SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`,
  );
  const digests: Record<string, string> = {};
  for (const { name } of tables) {
    const [row] = await reader.query<{ digest: string }>(
      Prisma.raw(`SELECT count(*) || ' ' || coalesce(md5(string_agg(t::text, E'\\n' ORDER BY t::text)), '') AS digest
        FROM "${name}" AS t`),
    );
    digests[name] = row?.digest ?? '';
  }
  await reader.close();
  return digests;
}

/** The line that a sealed backup begins with. */
const format = 'gangan-backup-2\n';

/** A backup as earlier versions made it: the same content, only compressed. */
async function unsealed(file: string): Promise<Buffer> {
  const sealed = (await readFile(file)).subarray(format.length);
  return buffer(Readable.from(backupSealer([backupKey]).open(Readable.from([sealed]), format)));
}

async function fileWith(bytes: Buffer): Promise<string> {
  const file = newFile();
  await writeFile(file, bytes);
  return file;
}

const rules = (url: string) =>
  runSql(
    url,
    `SELECT tgrelid::regclass || ' ' || tgname || ' ' || tgenabled::text AS rule FROM pg_trigger WHERE NOT tgisinternal
     UNION ALL SELECT conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) FROM pg_constraint
       WHERE connamespace = 'public'::regnamespace AND contype <> 'n'
     ORDER BY rule`,
  );

describe('a backup', () => {
  it('is restored with every row, rule and sequence', async () => {
    const file = await aBackup();
    const target = await emptyDatabase();
    const before = await rowsOf(source.url);
    const { code, out } = await restore(target, file, '--keep-active', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ sealed_secrets: 'all open', ledger: 'clean', migrated: 0 });
    // Migrations have other times, the audit log has one more entry, and scrolls are not backed up.
    const audit = ['audit_log', 'audit_link', 'audit_chain'];
    const others = ['_prisma_migrations', ...audit, 'contact_scroll', 'contact_scroll_page'];
    expect(before['contact_scroll_page']).not.toMatch(/^0/);
    const without = (rows: Record<string, string>) =>
      Object.entries(rows).filter(([name]) => !others.includes(name));
    expect(without(await rowsOf(target))).toEqual(without(before));
    expect(before['account']).not.toMatch(/^0/);
    expect(await rules(target)).toEqual(await rules(source.url));
    expect(await pendingMigrations(target)).toEqual([]);
    const sequences = 'SELECT sequencename, last_value FROM pg_sequences WHERE schemaname = current_schema()';
    expect(await runSql(target, sequences)).toEqual(await runSql(source.url, sequences));
    await expect(runSql(target, 'DELETE FROM audit_log')).rejects.toThrow('append-only');
  });

  it('is restored with active live organisations suspended, and is in the audit log', async () => {
    const target = await emptyDatabase();
    const { code, out } = await restore(target, await aBackup(), '--json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ suspended_organisations: 2 });
    const states = 'SELECT DISTINCT mode, status FROM organisation ORDER BY 1, 2';
    expect(await runSql(target, states)).toEqual([
      { mode: 'live', status: 'suspended' },
      { mode: 'test', status: 'active' },
      { mode: 'test', status: 'suspended' },
    ]);
    const actions = await ownerOf(target).json<{ action: string; actor: string; after: object }[]>(
      'audit',
      '--action',
      'backup',
    );
    expect(actions[0]).toMatchObject({ action: 'backup restore', actor: 'ada' });
    expect(JSON.stringify(actions[0]?.after)).toContain(live);
    expect(actions[1]).toMatchObject({ action: 'backup create', actor: 'ada' });
  });

  it('is a consistent snapshot while rows are added', async () => {
    const added = { stop: false };
    const adding = (async () => {
      // In one transaction, because the ledger is exact only when all rows of a booking are there.
      while (!added.stop)
        await database.transaction((transaction) => anOrganisation(transaction, { balanceKobo: 100n }));
    })();
    const file = await backUp();
    added.stop = true;
    await adding;
    const target = await emptyDatabase();
    const restored = await restore(target, file, '--json');
    expect(restored).toMatchObject({ code: 0 });
    expect(JSON.parse(restored.out)).toMatchObject({ ledger: 'clean' });
  });

  it('is readable only by its owner, and replaces no file', async () => {
    const file = await backUp();
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await ownerOf(source.url).run('backup', 'create', file)).toMatchObject({
      code: 1,
      err: expect.stringContaining('already exists'),
    });
  });

  it('is checked without a database, and shows how many rows of each table are in it', async () => {
    const checked = await ownerOf('').json<{ contents: object[] }>('backup', 'check', await aBackup());
    expect(checked).toMatchObject({ complete: true, authenticated: true });
    expect(checked.contents).toContainEqual({ table: 'organisation', rows: 4 });
  });

  it('shows nothing of its content', async () => {
    const bytes = await readFile(await aBackup());
    expect(bytes.subarray(0, format.length).toString()).toBe(format);
    expect(() => gunzipSync(bytes.subarray(format.length + 20))).toThrow();
    expect(bytes.toString('latin1')).not.toMatch(/Shop|organisation/);
  });

  it('needs a key, which a command writes to a new file', async () => {
    const file = newFile();
    const without = await ownerOf(source.url, { BACKUP_KEY: '' }).run('backup', 'create', file);
    expect(without).toMatchObject({
      code: 1,
      err: expect.stringMatching(/admin backup key.*Nothing was written/),
    });
    await expect(stat(file)).rejects.toThrow('ENOENT');

    const keyFile = `${file}.key`;
    const { key_id: id } = await ownerOf('').json('backup', 'key', keyFile);
    expect((await stat(keyFile)).mode & 0o777).toBe(0o600);
    expect(await ownerOf('').run('backup', 'key', keyFile)).toMatchObject({ code: 1 });
    const withFile = ownerOf(source.url, { BACKUP_KEY: '', BACKUP_KEY_FILE: keyFile });
    expect(await withFile.json('backup', 'create', file)).toMatchObject({ key_id: id });
    expect(await withFile.json('backup', 'check', file)).toMatchObject({ authenticated: true });
  });

  it('can be read while its key is replaced, and not without it', async () => {
    const checkWith = (key: string) => ownerOf('', { BACKUP_KEY: key }).run('backup', 'check', file);
    const [file, next] = [await aBackup(), newSealingKey()];
    expect(await checkWith(`${next},${backupKey}`)).toMatchObject({ code: 0 });
    expect(await checkWith(next)).toMatchObject({
      code: 1,
      err: expect.stringContaining(
        `made with the key ${backupSealer([backupKey]).sealingId}, and BACKUP_KEY has`,
      ),
    });
    expect(await checkWith('')).toMatchObject({
      code: 1,
      err: expect.stringContaining('is encrypted: set BACKUP_KEY'),
    });
    expect(await checkWith('c2hvcnQ=')).toMatchObject({
      code: 1,
      err: 'BACKUP_KEY must be 32 bytes in base64.\n',
    });
  });

  it('needs the owner of the tables', async () => {
    const { code, err } = await fixture.cli({ BACKUP_KEY: backupKey }).run('backup', 'create', newFile());
    expect(code).toBe(1);
    expect(err).toContain('DATABASE_URL to the owner');
  });

  it('can be created and restored by an owner who is not a superuser', async () => {
    const [from, to] = [await emptyDatabase(), await emptyDatabase()];
    const name = 'backup_owner';
    await runSql(from, `CREATE ROLE ${name} LOGIN CREATEROLE PASSWORD 'secret'`);
    const owned = [from, to].map((url) =>
      Object.assign(new URL(url), { username: name, password: 'secret' }),
    );
    for (const { href, pathname } of owned) {
      await runSql(from, `ALTER DATABASE "${pathname.slice(1)}" OWNER TO ${name}`);
      await runSql(href, 'SELECT 1');
    }
    await migrate(owned[0]?.href ?? '');
    const file = newFile();
    await createBackup(owned[0]?.href ?? '', file, backupSealer([backupKey]));
    const outcome = await restore(owned[1]?.href ?? '', file);
    expect(outcome).toMatchObject({ code: 0, err: expect.stringContaining('Restored.') });
  });
});

describe('a restore', () => {
  const expectRefusal = async (url: string, file: string, reason: RegExp | string): Promise<void> => {
    const { code, err } = await restore(url, file);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(reason) });
  };

  it('refuses a database that is not empty', async () => {
    await expectRefusal(source.url, await aBackup(), /not empty.*Nothing was restored/);
  });

  it('refuses a database in which jobs may wait', async () => {
    const target = await emptyDatabase();
    await migrateQueue(target);
    await expectRefusal(target, await aBackup(), /not empty.*Nothing was restored/);
  });

  it('refuses while others are connected', async () => {
    const target = await emptyDatabase();
    const app = new Database({ url: target, poolSize: 1, name: 'gangan messaging' });
    await app.query(sql`SELECT 1`);
    await expectRefusal(target, await aBackup(), /gangan messaging \(1\).*Stop all apps/);
    await app.close();
  });

  it('refuses a DATA_MASTER_KEY that does not open the secrets', async () => {
    const target = await emptyDatabase();
    const other = ownerOf(target, { DATA_MASTER_KEY: newSealingKey() });
    const { code, err } = await other.run('backup', 'restore', await aBackup(), '--yes');
    expect(code).toBe(1);
    expect(err).toMatch(/DATA_MASTER_KEY does not open.*Nothing was restored/);
    expect(Object.keys(await rowsOf(target))).toEqual([]);
  });

  it('refuses a file that is damaged, cut off or not a backup', async () => {
    const target = await emptyDatabase();
    const sealed = await readFile(await aBackup());
    const other = await readFile(await backUp());
    const half = sealed.length >> 1;
    for (const variant of [
      sealed.subarray(0, sealed.length - 20),
      Buffer.from(sealed).fill(0, half, half + 4),
      Buffer.concat([sealed.subarray(0, half), other.subarray(half)]),
      Buffer.concat([sealed, other]),
    ])
      await expectRefusal(target, await fileWith(variant), /not as it was made.*Do not restore it/);
    await expectRefusal(target, await fileWith(Buffer.from('PGDMP')), 'not a backup');
    const unauthenticated = await unsealed(await aBackup());
    const text = gunzipSync(unauthenticated).toString();
    for (const variant of [
      unauthenticated.subarray(0, unauthenticated.length - 20),
      gzipSync(text.replace('99.50', '99.51').replace('Shop', 'Shup')),
      gzipSync(text.slice(0, text.lastIndexOf('{'))),
      gzipSync(text.replace(/^.*Shop.*\n/m, '')),
      gzipSync(`${text}more`),
      gzipSync('{"format":"other"}\n'),
    ])
      expect(await restore(target, await fileWith(variant), '--allow-unauthenticated')).toMatchObject({
        code: 1,
        err: expect.stringMatching(/damaged|format/),
      });
    await expectRefusal(target, join(folder, 'absent'), 'There is no file');
    expect(Object.keys(await rowsOf(target))).toEqual([]);
  });

  it('accepts a backup that is not encrypted only if it is asked to, which is in the audit log', async () => {
    const target = await emptyDatabase();
    const file = await fileWith(await unsealed(await aBackup()));
    await expectRefusal(target, file, /not encrypted.*add --allow-unauthenticated/);
    expect(await ownerOf('').run('backup', 'check', file)).toMatchObject({ code: 1 });
    expect(await ownerOf('').json('backup', 'check', file, '--allow-unauthenticated')).toMatchObject({
      authenticated: false,
    });
    expect(Object.keys(await rowsOf(target))).toEqual([]);
    const restored = await restore(target, file, '--allow-unauthenticated');
    expect(restored.code === 0 ? '' : restored.err).toBe('');
    const [entry] = await ownerOf(target).json<object[]>('audit', '--action', 'backup restore');
    expect(entry).toMatchObject({ after: { authenticated: false } });
  });

  it.each([
    ['a newer version', '29991231235959_new', /newer version.*29991231235959_new/],
    ['a build between two releases', '20261116000100_old', /between two releases.*20261116000100_old/],
  ])('refuses the backup of %s', async (_what, migration, refusal) => {
    const other = await createTestDatabase(migrate, migrateQueue);
    targets.push(other);
    await runSql(
      other.url,
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at) VALUES ('x', 'x', '${migration}', now())`,
    );
    const file = newFile();
    await createBackup(other.url, file, backupSealer([backupKey]));
    await expectRefusal(await emptyDatabase(), file, refusal);
  });

  describeWithRedis('with the queues in Redis', () => {
    it('refuses a Redis with jobs', async () => {
      const redis = await startRedis();
      const connection = { kind: 'redis', url: redis.url } as const;
      const queues = await Queues.open(
        { connection, app: 'gateway', keys: new MasterKeys([newQueueKey()]) },
        'producer',
        silent,
      );
      const answers = () =>
        queues.ping().then(
          () => true,
          () => false,
        );
      await until('the queue answers', answers);
      const caller = runInContext(newContext({ organisationId: live }), () =>
        queues.client.send(lookupPhone, { phone: '08031234567' }),
      ).subscribe({ error: () => undefined });
      const target = await emptyDatabase();
      const admin = ownerOf(target, { REDIS_URL: redis.url });
      const file = await aBackup();
      await until('the job is in Redis', async () => {
        const lanes = await admin.json<{ lane: string; waiting: number }[]>('queues', 'list');
        return lanes.some(({ lane, waiting }) => lane === 'lookup' && waiting === 1);
      });
      expect(await admin.run('backup', 'restore', file, '--yes')).toMatchObject({
        code: 1,
        err: expect.stringMatching(/Redis has 1 job,.*Nothing was restored/),
      });
      expect(Object.keys(await rowsOf(target))).toEqual([]);
      caller.unsubscribe();
      await queues.client.close();
      await queues.close();
      await redis.stop();
    });
  });

  it('needs --yes without a terminal', async () => {
    const { code, err } = await ownerOf(await emptyDatabase()).run('backup', 'restore', await aBackup());
    expect(code).toBe(1);
    expect(err).toContain('add --yes');
  });
});
