import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { createTestDatabase, type TestDatabase } from '../postgres/test-database.js';
import { type DeclaredStatement, StatementChecker } from './statement-checker.js';

/** What the helper needs of `@gangan/database` and `@gangan/storage`, which it does not import: their tests use it too. */
interface DatabasePackages<App> {
  declaredStatements(): readonly DeclaredStatement[];
  readonly migrate: (url: string) => Promise<unknown>;
  grantRoles(url: string): Promise<unknown>;
  roleOf(app: App, database: string): string;
}

/**
 * Defines one test for each statement that the modules of `source` declare: Postgres parses it against the newest
 * schema, and the columns and types that it would return must be those of its shape. Nothing is executed. If `app` is
 * given, its database role must have the privileges for the statement. Statements of the files in `readsWholeTables` may
 * read a large table without an index.
 *
 * @example
 * import { declaredStatements } from '@gangan/database';
 * import * as storage from '@gangan/storage';
 * import { describeStatements } from '@gangan/testing';
 *
 * await describeStatements({ declaredStatements, ...storage }, new URL('../src/', import.meta.url), { app: 'otp' });
 */
export async function describeStatements<App extends string>(
  database: DatabasePackages<App>,
  source: URL,
  { app, readsWholeTables = [] }: { readonly app?: App; readonly readsWholeTables?: readonly string[] } = {},
): Promise<void> {
  // Jest's own module exists only inside Jest, and this library is also used outside it.
  const { afterAll, beforeAll, describe, expect, it } = await import('@jest/globals');
  const folder = fileURLToPath(source);
  for (const file of await declaringModules(folder)) await import(pathToFileURL(file).href);
  const statements = database.declaredStatements().flatMap((statement) => {
    const place = placeIn(folder, statement);
    return place === undefined ? [] : [{ place, statement }];
  });

  describe('declared SQL', () => {
    let postgres: TestDatabase;
    let checker: StatementChecker;

    beforeAll(async () => {
      postgres = await createTestDatabase(database.migrate);
      await database.grantRoles(postgres.url);
      checker = await StatementChecker.connect(postgres.url);
    });
    afterAll(async () => {
      await checker.close();
      await postgres.drop();
    });

    it('exists', () => {
      expect(statements).not.toHaveLength(0);
    });

    it.each(statements)('$place returns what its shape declares', async ({ statement }) => {
      expect(await checker.faultsOf(statement)).toEqual([]);
    });

    const byIndex = statements.filter(
      ({ place }) => !readsWholeTables.some((file) => place.startsWith(file)),
    );
    if (byIndex.length > 0) {
      it.each(byIndex)('$place reads only rows that an index finds', async ({ statement }) => {
        expect(await checker.unboundedReadsOf(statement)).toEqual([]);
      });

      it.each(byIndex)('$place does not read all open rows', async ({ statement }) => {
        expect(await checker.openRowReadsOf(statement)).toEqual([]);
      });
    }

    if (app !== undefined)
      it.each(statements)(`$place needs only what app-grants.ts gives to ${app}`, async ({ statement }) => {
        const role = database.roleOf(app, new URL(postgres.url).pathname.slice(1));
        expect(await checker.denialsOf(statement, role)).toEqual([]);
      });
  });
}

/** The modules that declare statements; no others are loaded, as an entry point would start its process. */
async function declaringModules(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true });
  const files = entries.filter((path) => path.endsWith('.ts') && !path.endsWith('.spec.ts')).sort();
  const declaring = await Promise.all(
    files.map(async (path) => {
      const text = await readFile(join(folder, path), 'utf8');
      return /(?<![.\w'])(statement|command|retentionOf)\(/.test(text) ? [path] : [];
    }),
  );
  return declaring.flat().map((path) => join(folder, path));
}

/** `file.ts:line` inside the folder, or `undefined` if another project declares it. */
function placeIn(folder: string, { declared }: DeclaredStatement): string | undefined {
  const line = declared.stack?.split('\n').find((frame) => frame.includes(folder));
  return line?.slice(line.indexOf(folder) + folder.length).match(/^[^:]+:\d+/)?.[0];
}
