import { charge, refund } from '@gangan/billing';
import { sql } from '@gangan/database';
import { firstIdAt, newId } from '@gangan/protocol';
import { aDelivery, aMessage, anOrganisation } from '@gangan/testing';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { AdminFixture } from './support/admin-fixture.js';

describe('usage', () => {
  const fixture = AdminFixture.use();
  const admin = fixture.cli();

  const named = async (name: string): Promise<string> => {
    const { id, accountId } = await anOrganisation(fixture.database, { mode: 'live', balanceKobo: 100_000n });
    await fixture.database.execute(sql`UPDATE account SET name = ${name} WHERE id = ${accountId}::uuid`);
    return id;
  };
  const count = (organisationId: string, hoursAgo: number, requests: number, bytes: number) =>
    fixture.database.execute(sql`
      INSERT INTO response_tally (organisation_id, hour, requests, bytes)
      VALUES (${organisationId}::uuid, date_trunc('hour', now()) - ${hoursAgo}::int * interval '1 hour', ${requests}, ${bytes})`);
  const send = async (organisationId: string, id = newId()) => {
    const messageId = await aMessage(fixture.database, organisationId, {});
    await aDelivery(fixture.database, organisationId, { id, messageId });
  };

  beforeAll(async () => {
    const [busy, rich] = [await named('Busy'), await named('Rich')];
    await named('Silent');
    for (const [hours, requests, bytes] of [
      [0, 30, 100],
      [3, 12, 10],
      [30, 1_000, 5_000],
    ] as const)
      await count(busy, hours, requests, bytes);
    await count(rich, 1, 7, 0);
    for (let messages = 0; messages < 3; messages += 1) await send(rich);
    await send(busy);
    await send(busy, `${firstIdAt(new Date(Date.now() - 2 * 86_400_000)).slice(0, 18)}${newId().slice(18)}`);
    const chargeId = newId();
    await charge(fixture.database, 'message', [{ subjectId: chargeId, organisationId: rich, kobo: 1_250n }]);
    await refund(fixture.database, [{ subjectId: chargeId, chargeId, organisationId: rich, kobo: 250n }]);
  });

  const rowsOf = (...given: string[]) => admin.json<object[]>('usage', ...given);
  const busy = { organisation: 'Busy/live', requests: 42, messages: 1, money: 0, storage: 110 };
  const rich = { organisation: 'Rich/live', requests: 7, messages: 3, money: 10, storage: 0 };

  it('lists organisations with their requests, messages, money and storage', async () => {
    expect(await rowsOf()).toEqual([busy, rich]);
    expect((await admin.run('usage')).out).toMatch(/ORGANISATION +REQUESTS +MESSAGES +MONEY +STORAGE\n/i);
  });

  it.each([
    ['requests', ['Busy/live', 'Rich/live']],
    ['messages', ['Rich/live', 'Busy/live']],
    ['money', ['Rich/live', 'Busy/live']],
    ['storage', ['Busy/live', 'Rich/live']],
  ])('puts those with most %s first', async (by, names) => {
    expect(await rowsOf('--by', by)).toMatchObject(names.map((organisation) => ({ organisation })));
    expect(await rowsOf('--by', by, '--limit', '1')).toMatchObject([{ organisation: names[0] }]);
  });

  it('counts from the given time on', async () => {
    expect(await rowsOf('--since', '3d')).toMatchObject([{ ...busy, requests: 1_042, messages: 2 }, rich]);
    // What is stored does not depend on it. Responses are kept for a day.
    expect(await rowsOf('--since', '0m', '--by', 'storage')).toMatchObject([
      { organisation: 'Busy/live', messages: 0, storage: 110 },
    ]);
  });

  it('rejects other orders', async () => {
    expect(await admin.run('usage', '--by', 'name')).toMatchObject({ code: 2 });
  });
});
