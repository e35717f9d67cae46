import { Database, sql } from '@gangan/database';
import { migrate } from '@gangan/storage';
import { newId } from '@gangan/protocol';
import type { AppLogger } from '@gangan/runtime';
import { createTestDatabase } from '@gangan/testing';
import { expect, it } from '@jest/globals';
import { AuditHeads } from '../src/retention/audit-heads.js';

it('the heads of the audit log are logged once a day, if their chains have grown', async () => {
  const postgres = await createTestDatabase(migrate);
  const database = new Database({ url: postgres.url, poolSize: 1 });
  try {
    const lines: unknown[] = [];
    const logger = { info: (line: unknown) => void lines.push(line) } as unknown as AppLogger;
    const heads = new AuditHeads(database, logger);
    const organisation = newId();
    const add = (owner: string | null) =>
      database.execute(sql`
        INSERT INTO audit_log (id, actor, action, organisation_id, target)
        VALUES (${newId()}::uuid, 'ada', 'x', ${owner}::uuid, 'x')`);
    await add(organisation);
    await add(null);
    await heads.log();
    const hash = expect.stringMatching(/^[\da-f]{64}$/);
    expect(lines).toEqual([
      {
        audit_heads: expect.arrayContaining([
          { organisation: null, number: 1, hash },
          { organisation, number: 1, hash },
        ]),
      },
    ]);
    await add(organisation);
    await heads.log();
    expect(lines).toHaveLength(1);
    await database.execute(sql`UPDATE audit_chain SET logged_at = now() - interval '25 hours'`);
    await heads.log();
    expect(lines.slice(1)).toEqual([{ audit_heads: [{ organisation, number: 2, hash }] }]);
  } finally {
    await database.close();
    await postgres.drop();
  }
});
