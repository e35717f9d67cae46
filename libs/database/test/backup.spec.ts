import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase, type TestDatabase } from '@gangan/testing';
import { afterAll, expect, it } from '@jest/globals';
import { createBackup, migrate, pendingMigrations, restoreBackup } from '../src/index.js';
import { readMigrations } from '../src/migrations/migration-files.js';

const databases: TestDatabase[] = [];
afterAll(async () => {
  for (const database of databases) await database.drop();
});

async function emptyDatabase(): Promise<string> {
  const database = await createTestDatabase();
  databases.push(database);
  return database.url;
}

it('migrates a restored backup of an earlier version', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gangan-backup-'));
  const [earlier, restored] = [await emptyDatabase(), await emptyDatabase()];
  const migrations = await readMigrations();
  await migrate(earlier, undefined, migrations.slice(0, -1));
  await createBackup(earlier, join(folder, 'earlier'));
  const { migrated } = await restoreBackup(restored, join(folder, 'earlier'), {
    dataKeyIds: [],
    suspendLive: true,
  });
  expect(migrated).toEqual([migrations.at(-1)?.name]);
  expect(await pendingMigrations(restored)).toEqual([]);
  await rm(folder, { recursive: true });
});
