import { copyFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { backupSealer, newSealingKey } from '@gangan/sealing';
import { createTestDatabase, runSql, type TestDatabase } from '@gangan/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { pendingMigrations, readMigrations } from '@gangan/database';
import { createBackup, migrate, restoreBackup } from '../src/index.js';

const databases: TestDatabase[] = [];
const sealer = backupSealer([newSealingKey()]);
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gangan-backup-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
  for (const database of databases) await database.drop();
});

async function emptyDatabase(): Promise<string> {
  const database = await createTestDatabase();
  databases.push(database);
  return database.url;
}

it('migrates a restored backup of an earlier version', async () => {
  const [earlier, restored] = [await emptyDatabase(), await emptyDatabase()];
  const migrations = await readMigrations();
  await migrate(earlier, undefined, migrations.slice(0, -1));
  await createBackup(earlier, join(folder, 'earlier'), sealer);
  const { migrated } = await restoreBackup(restored, join(folder, 'earlier'), {
    sealer,
    dataKeyIds: [],
    suspendLive: true,
  });
  expect(migrated).toEqual([migrations.at(-1)?.name]);
  expect(await pendingMigrations(restored)).toEqual([]);
});

it('restores nothing if the file is replaced by another backup after it was checked', async () => {
  const [source, target] = [await createTestDatabase(migrate), await createTestDatabase()];
  databases.push(source, target);
  const [file, other] = [join(folder, 'checked'), join(folder, 'other')];
  await createBackup(source.url, other, sealer);
  await runSql(source.url, `INSERT INTO account (id, name) VALUES (gen_random_uuid(), 'Acme')`);
  await createBackup(source.url, file, sealer);
  const report = (line: string): void => {
    if (line === 'Restoring the rows') copyFileSync(other, file);
  };
  await expect(
    restoreBackup(target.url, file, { sealer, dataKeyIds: [], suspendLive: true, report }),
  ).rejects.toThrow('replaced by another');
  expect(await runSql(target.url, 'SELECT FROM account')).toEqual([]);
});
