import { sql } from '@gangan/database';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { TestAirtime, type Worker } from './support/test-airtime.js';

const unknownForEver = '+2347000000007';

describe('the records of the simulator', () => {
  let airtime: TestAirtime;
  let worker: Worker;
  let organisation: string;
  beforeAll(async () => {
    airtime = await TestAirtime.open();
    worker = await airtime.worker();
  });
  afterAll(() => airtime.close());
  beforeEach(async () => {
    organisation = await airtime.organisation();
    await airtime.database.execute(sql`DELETE FROM simulated_top_up`);
  });

  const prune = async (): Promise<void> => {
    while (await worker.retention.prune());
  };

  async function settled(ageDays: number, recipient?: string): Promise<string> {
    const id = await airtime.buy(worker, organisation, {
      external_ref: String(ageDays),
      ...(recipient && { recipient }),
    });
    await worker.settlement.settle(id);
    await airtime.database.execute(sql`
      UPDATE simulated_top_up SET id = uuidv7(-${ageDays}::int * interval '1 day') WHERE reference = ${id}::uuid`);
    return id;
  }

  const remembered = async (): Promise<string[]> =>
    (await airtime.toppedUp()).map(({ reference }) => reference);

  it('are deleted after 90 days, the purchases are not', async () => {
    const old = await settled(91);
    const young = await settled(89);
    await prune();
    expect(await remembered()).toEqual([young]);
    expect(await airtime.stored(old)).toMatchObject({ state: 'success' });
  });

  it('are kept while a query may need them, so that a delivered purchase is not refunded', async () => {
    const id = await settled(91, '+2347000000005');
    await prune();
    expect(await remembered()).toEqual([id]);
    await airtime.pass(600_000);
    await worker.sweep();
    expect(await airtime.stored(id)).toMatchObject({ state: 'success', refunded: false });
    await prune();
    expect(await remembered()).toEqual([]);
  });

  it('are kept while an operator has to resolve the purchase', async () => {
    const id = await settled(91, unknownForEver);
    await airtime.pass(25 * 3_600_000);
    await worker.sweep();
    expect(await airtime.stored(id)).toMatchObject({ state: 'error' });
    await prune();
    expect(await remembered()).toEqual([id]);
  });

  it('can be deleted by several workers at once, in batches', async () => {
    await airtime.database.execute(sql`
      INSERT INTO simulated_top_up (id, reference, network, recipient, amount_kobo, outcome)
      SELECT uuidv7(interval '-91 days'), uuidv7(), 'MTN', '+2348031234567', 10000, 'success'
      FROM generate_series(1, 1200)`);
    await Promise.all([prune(), prune(), prune()]);
    expect(await remembered()).toEqual([]);
  });
});
