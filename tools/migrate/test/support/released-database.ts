import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { migrate } from '@gangan/storage';
import { runSql } from '@gangan/testing';

/** The migrations of 0.1 and 0.2, which both have. They are frozen: from here on migrations are only added. */
const checksums: Record<string, string> = {
  '20261115013000_tables': '8c6651550320706e6602747e3f33fafbfa37b310eb8279fb3ef18c22e4b922b5',
  '20261115013100_rules': '1ba8f22b0945f52a638a5bb60ca73b6ad898ecf63c356530a6f701c3297945da',
  '20261115013200_prices': '700237596d5a181df9272ad7b16dd8fb5ca657f11bbcce2230ac22f58fa85130',
};

const dataFiles = { '0.1': ['data-0.1.sql'], '0.2': ['data-0.1.sql', 'data-0.2.sql'] };

export type Released = keyof typeof dataFiles;
export const releases = Object.keys(dataFiles) as Released[];

const read = (path: string): Promise<string> => readFile(new URL(path, import.meta.url), 'utf8');

/** Fills an empty database as this version has left it: its schema, and data of every domain. */
export async function fillAs(version: Released, url: string): Promise<void> {
  const migrations = await Promise.all(
    Object.entries(checksums).map(async ([name, checksum]) => {
      const sql = await read(`../../../../prisma/migrations/${name}/migration.sql`);
      if (createHash('sha256').update(sql).digest('hex') !== checksum)
        throw new Error(`${name} belongs to a release, and must not be changed`);
      return { name, checksum, sql };
    }),
  );
  await migrate(url, undefined, migrations);
  // In one session, whose functions they share.
  const scripts = await Promise.all(dataFiles[version].map((file) => read(file)));
  await runSql(url, `BEGIN; ${scripts.join('\n')}; COMMIT`);
}
