import { checkLedger } from '@gangan/billing';
import { sql } from '@gangan/database';
import { FakeTermii, until } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RunningWorkers } from '../support/running-workers.js';
import type { SendingOrganisation } from '../support/sending-organisation.js';
import { storeRoute, storeTermii } from '../support/stored-providers.js';

const apiKey = 'the api key';
const balance = 100_000_000n;
const price = 400n;
const recipients = Array.from({ length: 20 }, (_, index) => `+23480312${10_000 + index}`);
const fatal = recipients[7] ?? '';

describe('a delivery that ends every worker that submits it', () => {
  let workers: RunningWorkers;
  let server: FakeTermii;
  let organisation: SendingOrganisation;
  /** What the provider got. */
  const received: string[] = [];
  const kills: Promise<void>[] = [];

  beforeAll(async () => {
    workers = await RunningWorkers.open(undefined);
    server = await FakeTermii.start(apiKey);
    server.behaviour = ({ to }) => {
      received.push(`+${to}`);
      if (`+${to}` !== fatal) return 'accept';
      kills.push(workers.killHolder(fatal));
      return 'hang';
    };
    const { database, sealer } = workers;
    await storeRoute(database, [await storeTermii(database, sealer, 'termii', { url: server.url, apiKey })]);
    organisation = await workers.organisation(balance, 'live');
    await organisation.send(recipients.join(','), { sender_id: 'Acme' });
    await until('it is abandoned', async () => {
      const [row] = await database.query(sql`
        SELECT FROM delivery_attempt WHERE outcome = 'unknown' AND delivery_id = (
          SELECT id FROM delivery WHERE recipient = ${fatal})`);
      return row;
    });
    await until(
      'the others are sent',
      async () => (await organisation.counts())['sent'] === recipients.length - 1,
    );
  });
  afterAll(async () => {
    await Promise.all(kills);
    await workers.close();
    await server.stop();
  });

  it('is sent twice, and stays charged', async () => {
    expect(received.filter((to) => to === fatal)).toHaveLength(2);
    expect(await organisation.counts()).toEqual({ sent: recipients.length - 1, submitting: 1 });
    const available = balance - BigInt(recipients.length) * price;
    expect(await organisation.balances()).toEqual({ available, reserved: 0n });
    expect(await checkLedger(workers.database)).toMatchObject({ clean: true, findings: [], warnings: [] });
  });

  it('does not keep the others from being sent, at most twice', () => {
    const times = recipients.map((recipient) => received.filter((to) => to === recipient).length);
    expect(times.filter((count) => count < 1 || count > 2)).toEqual([]);
  });
});
