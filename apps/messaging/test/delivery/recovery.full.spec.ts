import { setTimeout as sleep } from 'node:timers/promises';
import { checkLedger } from '@gangan/billing';
import { sql } from '@gangan/database';
import { until } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RunningWorkers } from '../support/running-workers.js';
import type { SendingOrganisation } from '../support/sending-organisation.js';

const start = 100_000_000n;
const price = 400n;

describe('workers that lose their heartbeat', () => {
  let fixture: RunningWorkers;
  let organisation: SendingOrganisation;
  let sent = 0;
  beforeAll(async () => {
    fixture = await RunningWorkers.open(undefined);
    organisation = await fixture.organisation(start);
  });
  afterAll(() => fixture.close());

  const send = async (count: number): Promise<void> => {
    const recipients = Array.from({ length: count }, (_, index) => `+234803${1_000_000 + sent + index}`);
    sent += count;
    await Promise.all(recipients.map((recipient) => organisation.send(recipient)));
  };
  /** Nothing is missing, sent twice or charged twice. */
  const expectExact = async (): Promise<void> => {
    await organisation.untilEnded();
    expect(await organisation.counts()).toEqual({ delivered: sent });
    expect(new Set(await organisation.taken())).toEqual(new Set([1]));
    expect((await organisation.balances()).available).toBe(start - BigInt(sent) * price);
    expect(await checkLedger(fixture.database)).toMatchObject({ clean: true });
  };

  it('keep their leases while the database is unavailable', async () => {
    const before = await fixture.untilRegistered(2);
    const sending = send(200);
    await sleep(100);
    await fixture.interruptDatabase();
    await sending;
    await expectExact();
    expect(await fixture.untilRegistered(2)).toEqual(before);
    expect(fixture.takeovers()).toBe(0);
  });

  it('lose their leases to another worker while they are stopped, and change nothing when they return', async () => {
    const before = await fixture.untilRegistered(2);
    const sending = send(200);
    await until(
      'deliveries are being submitted',
      async () =>
        (await fixture.database.query(sql`SELECT FROM delivery WHERE state = 'submitting' LIMIT 1`)).length >
        0,
    );
    const resume = fixture.stop(0);
    try {
      await sending;
      // Slow machines need longer than the usual 20 s.
      await until('the other worker has taken over', () => fixture.takeovers() > 0);
      await expectExact();
    } finally {
      resume();
    }
    const after = await fixture.untilRegistered(2);
    expect(after).toEqual(before);
    await send(50);
    await expectExact();
  });
});
