import { type Database, Prisma } from '@gangan/database';

/** What the database then says. */
export const refusal = 'new row violates a rule';

/** From now on these tables refuse every such change, in the words of Postgres: they show the whole row. */
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
