import { Database, sql } from '@gangan/database';
import { migrate } from '@gangan/storage';
import { newId } from '@gangan/protocol';
import { anOrganisation, createTestDatabase } from '@gangan/testing';
import { expect, it } from '@jest/globals';
import { auditChains as chainsOf, checkAudit } from '@gangan/management';

it('old entries are removed, and leave an anchor from which the chain is checked', async () => {
  const postgres = await createTestDatabase(migrate);
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
    for (const owner of [id, null, id, newId(), id])
      await database.execute(sql`
        INSERT INTO audit_log (id, actor, action, organisation_id, target, after)
        VALUES (${newId()}::uuid, 'ada', 'x', ${owner}::uuid, 'Müller', '{"naira": 1.50, "a": null}')`);
    expect(await checkAudit(database, [])).toEqual({ chains: 3, entries: 8, heads: 0, findings: [] });

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
