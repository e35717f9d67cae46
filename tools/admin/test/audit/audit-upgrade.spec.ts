import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { Database, migrate, sql } from '@gangan/database';
import { newId } from '@gangan/protocol';
import { anOrganisation, createTestDatabase } from '@gangan/testing';
import { expect, it } from '@jest/globals';
import { chainsOf } from '../../src/audit/audit-chain.js';
import { checkAudit } from '../../src/audit/check-chain.js';

const folder = new URL('../../../../prisma/migrations/', import.meta.url);

/** The schema as it was before entries had hashes and requests had logins. */
async function migrateBefore(url: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => /^\d/.test(name) && name < '20261119130000').sort();
  const migrations = await Promise.all(
    names.map(async (name) => {
      const script = await readFile(new URL(`${name}/migration.sql`, folder), 'utf8');
      return { name, sql: script, checksum: createHash('sha256').update(script).digest('hex') };
    }),
  );
  await migrate(url, undefined, migrations);
}

it('the upgrade chains the entries that exist, and lets pending requests expire', async () => {
  const postgres = await createTestDatabase(migrateBefore);
  const database = new Database({ url: postgres.url, poolSize: 2 });
  try {
    const { id } = await anOrganisation(database, { mode: 'live', hasPrices: false });
    // The log sets the time itself.
    await database.execute(sql`ALTER TABLE audit_log DISABLE TRIGGER audit_log_stamp`);
    for (const owner of [id, null, id])
      await database.execute(sql`
        INSERT INTO audit_log (id, actor, action, organisation_id, target, created_at)
        VALUES (${newId()}::uuid, 'ada', 'x', ${owner}::uuid, 'x', now() - interval '2 years')`);
    await database.execute(sql`ALTER TABLE audit_log ENABLE TRIGGER audit_log_stamp`);
    for (const owner of [id, null, id, newId()])
      await database.execute(sql`
        INSERT INTO audit_log (id, actor, action, organisation_id, target, after)
        VALUES (${newId()}::uuid, 'ada', 'x', ${owner}::uuid, 'Müller', '{"naira": 1.50, "a": null}')`);
    for (const state of ['pending', 'approved'])
      await database.execute(sql`
        INSERT INTO approval (id, organisation_id, kind, subject_id, kobo, state, requested_by, expires_at, decided_by, decided_at)
        VALUES (${newId()}::uuid, ${id}::uuid, 'top_up', ${newId()}::uuid, 1, ${state}::approval_state, 'ada',
          now() + interval '1 day', CASE ${state} WHEN 'approved' THEN 'grace' END,
          CASE ${state} WHEN 'approved' THEN now() END)`);
    await migrate(postgres.url);
    expect(await checkAudit(database, [])).toEqual({ chains: 3, entries: 7, heads: 0, findings: [] });
    expect(
      (await database.approval.findMany({ orderBy: { id: 'asc' } })).map(({ state, action }) => [
        state,
        action,
      ]),
    ).toEqual([
      ['expired', 'top_up'],
      ['approved', 'top_up'],
    ]);
    await database.execute(sql`
      INSERT INTO audit_log (id, actor, action, organisation_id, target) VALUES (${newId()}::uuid, 'ada', 'x', ${id}::uuid, 'x')`);
    expect(await checkAudit(database, [])).toMatchObject({ entries: 8, findings: [] });

    // Old entries leave an anchor.
    const heads = (await chainsOf(database)).map(({ organisationId, number, hash }) => ({
      ...{ organisationId, number },
      hash: hash.toString('hex'),
    }));
    const first = { organisationId: id, number: 1n, hash: '0'.repeat(64) };
    const [pruned] = await database.query(
      sql`SELECT prune_audit_log(now() - interval '18 months', 'ada')::int AS removed`,
    );
    expect(pruned).toEqual({ removed: 3 });
    expect(await checkAudit(database, [first, ...heads])).toEqual({
      chains: 3,
      entries: 7,
      heads: 3,
      findings: [],
    });
    await expect(database.execute(sql`DELETE FROM audit_log`)).rejects.toThrow('append-only');
    const tooYoung = database.query(sql`SELECT prune_audit_log(now() - interval '364 days', 'ada')`);
    await expect(tooYoung).rejects.toThrow('at least a year');
  } finally {
    await database.close();
    await postgres.drop();
  }
});
