import pg from 'pg';

interface Trigger {
  readonly table: string;
  readonly name: string;
  readonly state: 'O' | 'A' | 'R';
}

interface ForeignKey {
  readonly table: string;
  readonly name: string;
  readonly definition: string;
}

const enable = { O: 'ENABLE', A: 'ENABLE ALWAYS', R: 'ENABLE REPLICA' } as const;

/**
 * Runs `work` without the triggers and foreign keys of the tables, in the transaction that is open. The rows have passed
 * the triggers before. Foreign keys are added again afterwards, which checks all rows. Needs only the owner of the
 * tables, while `session_replication_role` needs a superuser.
 */
export async function withoutRules(client: pg.Client, work: () => Promise<void>): Promise<void> {
  const triggers = await client.query<Trigger>(
    `SELECT tgrelid::regclass::text AS table, tgname AS name, tgenabled AS state
     FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
     WHERE relnamespace = current_schema()::regnamespace AND NOT tgisinternal AND tgenabled <> 'D'`,
  );
  const foreignKeys = await client.query<ForeignKey>(
    `SELECT conrelid::regclass::text AS table, conname AS name, pg_get_constraintdef(oid) AS definition
     FROM pg_constraint WHERE contype = 'f' AND connamespace = current_schema()::regnamespace ORDER BY 1, 2`,
  );
  for (const { table, name } of foreignKeys.rows)
    await client.query(`ALTER TABLE ${table} DROP CONSTRAINT ${pg.escapeIdentifier(name)}`);
  for (const { table, name } of triggers.rows)
    await client.query(`ALTER TABLE ${table} DISABLE TRIGGER ${pg.escapeIdentifier(name)}`);
  await work();
  for (const { table, name, state } of triggers.rows)
    await client.query(`ALTER TABLE ${table} ${enable[state]} TRIGGER ${pg.escapeIdentifier(name)}`);
  for (const { table, name, definition } of foreignKeys.rows)
    await client.query(`ALTER TABLE ${table} ADD CONSTRAINT ${pg.escapeIdentifier(name)} ${definition}`);
}
