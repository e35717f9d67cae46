import { type Database, Prisma } from '@gangan/database';

/** The error message of the database. */
export const refusal = 'new row violates a rule';

/** Makes these tables reject such changes with an error of Postgres that contains the whole row. */
export async function refuseChanges(
  database: Database,
  change: 'INSERT' | 'UPDATE',
  tables: Iterable<string>,
): Promise<void> {
  await database.execute(
    Prisma.raw(`
      CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        RAISE EXCEPTION '${refusal}' USING ERRCODE = 'check_violation',
          DETAIL = 'Failing row contains ' || NEW::text;
      END $$`),
  );
  for (const table of tables)
    await database.execute(
      Prisma.raw(
        `CREATE TRIGGER refuse_${change} BEFORE ${change} ON "${table}" FOR EACH ROW EXECUTE FUNCTION refuse()`,
      ),
    );
}

/** Undoes `refuseChanges`. */
export async function acceptChanges(database: Database, tables: Iterable<string>): Promise<void> {
  for (const table of tables)
    for (const change of ['INSERT', 'UPDATE'])
      await database.execute(Prisma.raw(`DROP TRIGGER IF EXISTS refuse_${change} ON "${table}"`));
}
