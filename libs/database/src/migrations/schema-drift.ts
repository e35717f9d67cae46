import { dirname } from 'node:path';
import { migrationsFolder, schemaFiles } from './prisma-folder.js';
import { wholeSchema, withSchemaEngine } from './schema-engine.js';

/**
 * The SQL that turns the database at `url` into what the schema files say; empty when they agree. What the schema
 * language cannot express (checks, partial indexes, triggers) is not compared.
 */
export async function schemaDrift(url: string): Promise<string> {
  const files = await schemaFiles();
  const { stdout } = await withSchemaEngine(url, ({ engine }) =>
    engine.diff({
      from: { tag: 'schemaDatasource', files, configDir: dirname(migrationsFolder()) },
      to: { tag: 'schemaDatamodel', files },
      script: true,
      exitCode: null,
      filters: wholeSchema,
    }),
  );
  return (stdout ?? '').replace('-- This is an empty migration.', '').trim();
}
