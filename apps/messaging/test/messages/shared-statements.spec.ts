import { sql } from '@gangan/database';
import { describe, expect, it } from '@jest/globals';
import { SendingFixture } from '../support/sending-fixture.js';

const request = { recipients: '08031234567', content: 'Hello' };

describe('the jobs of a worker', () => {
  const fixture = SendingFixture.use();

  /** Each job has two messages of an organisation of its own. @returns how many statements accepted them all */
  const countStatements = async (jobs: number, areConcurrent: boolean): Promise<number> => {
    const service = await fixture.service();
    const organisationIds: string[] = [];
    for (let n = 0; n < jobs; n += 1) organisationIds.push(await fixture.organisation());
    for (const id of organisationIds) await fixture.warmUp(service, id);
    const send = async (organisationId: string) => {
      const members = [1, 2].map(() => ({ request, context: fixture.contextOf(organisationId) }));
      const answers = await fixture.sendTogether(service, members);
      expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
    };
    if (areConcurrent) await Promise.all(organisationIds.map(send));
    else for (const id of organisationIds) await send(id);
    const [stored] = await fixture.database.query<{ messages: number; transactions: number }>(sql`
      SELECT count(*)::int AS messages, count(DISTINCT xmin::text)::int AS transactions FROM message
      WHERE organisation_id = ANY (${organisationIds}::uuid[])`);
    expect(stored?.messages).toBe(2 * jobs);
    return stored?.transactions ?? 0;
  };

  it('are accepted by a statement each, if none arrives while it runs', async () => {
    expect(await countStatements(3, false)).toBe(3);
  });

  it('are accepted by the next statement together, if they arrive while one runs', async () => {
    expect(await countStatements(5, true)).toBe(2);
    await fixture.expectCleanLedger();
  });
});
