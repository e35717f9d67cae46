import { sql } from '@gangan/database';
import { LeaseLostError } from '@gangan/leases';
import { newId } from '@gangan/protocol';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { findCanceled } from '../../src/changes/canceled-callback.js';
import { ChangeWorker } from '../support/change-worker.js';
import { DeliveryFixture } from '../support/delivery-fixture.js';

describe('the jobs that pause, resume and cancel messages', () => {
  const fixture = DeliveryFixture.use();
  let changes: ChangeWorker;
  let organisation: string;
  beforeAll(async () => {
    changes = await ChangeWorker.create(fixture.database);
    organisation = await fixture.organisation();
  });
  afterEach(async () => {
    await fixture.expectCleanLedger();
    await fixture.database.execute(sql`DELETE FROM message_change`);
  });

  /** A canceled message of which a provider has a recipient. @returns its id */
  const waiting = async (): Promise<string> => {
    const { id, deliveries } = await fixture.accept(organisation);
    await fixture.crash(deliveries, 'gone');
    await changes.change('cancel', organisation, id);
    return id;
  };
  const claim = async () => {
    const claimed = await changes.repository.claimNext();
    if (!claimed) throw new Error('no change is due');
    return claimed;
  };
  const status = async (id: string): Promise<string | undefined> => {
    const { pausedAt } = await fixture.database.message.findUniqueOrThrow({ where: { id } });
    return pausedAt ? 'paused' : 'resumed';
  };

  it('do not count the deliveries of a message while one is open', async () => {
    const id = await waiting();
    const plan = async (): Promise<string> => {
      const lines = await fixture.database.query<{ 'QUERY PLAN': string }>(
        sql`EXPLAIN (ANALYZE, TIMING OFF) ${findCanceled.build(id)}`,
      );
      return lines.map((line) => line['QUERY PLAN']).join('\n');
    };
    expect(await plan()).toMatch(/Aggregate .*\(never executed\)/);
    await fixture.database.execute(sql`UPDATE delivery SET state = 'sent' WHERE message_id = ${id}`);
    expect(await plan()).not.toMatch(/Aggregate .*\(never executed\)/);
    await changes.run();
    expect(await changes.jobs()).toBe(0);
  });

  it('count the deliveries that they cancel', async () => {
    const { id } = await fixture.accept(organisation, { recipients: ['+2348031000001', '+2348031000002'] });
    const worker = await ChangeWorker.create(fixture.database);
    await worker.change('cancel', organisation, id);
    expect(await worker.registry.metrics()).toContain(
      'gangan_delivery_changes_total{state="canceled",channel="sms",lane="sms"} 2',
    );
  });

  it('run before cancellations that wait for a provider', async () => {
    const canceled = [await waiting(), await waiting()];
    await changes.makeDue();
    const { id, deliveries } = await fixture.accept(organisation);
    await changes.request('pause', organisation, id);
    expect(await claim()).toMatchObject({ messageId: id, action: 'pause' });
    const rest = [await claim(), await claim()].map(({ messageId }) => messageId);
    expect(new Set(rest)).toEqual(new Set(canceled));
    expect(await changes.repository.claimNext()).toBeUndefined();
    await changes.run();
    expect(await fixture.states(deliveries)).toEqual(['queued']);
    expect(await changes.jobs()).toBe(2);
  });

  it('check a long waiting cancellation less often, but at least every ten minutes', async () => {
    const id = await waiting();
    const waitsUntil = async (age: string): Promise<object[]> => {
      await fixture.database.execute(sql`
        UPDATE message_change SET created_at = now() - ${age}::interval, next_attempt_at = now() - interval '1 s'
        WHERE message_id = ${id}`);
      expect(await changes.runSlice()).toBe(true);
      return fixture.database.query(sql`
        SELECT next_attempt_at > now() + interval '5 minutes' AS "isLong",
          next_attempt_at > now() + interval '11 minutes' AS "isTooLong"
        FROM message_change WHERE message_id = ${id}`);
    };
    expect(await waitsUntil('1 minute')).toEqual([{ isLong: false, isTooLong: false }]);
    expect(await waitsUntil('1 day')).toEqual([{ isLong: true, isTooLong: false }]);
  });

  it('are not ended by a worker that carries out an earlier action of the same kind', async () => {
    const { id, deliveries } = await fixture.accept(organisation);
    await changes.request('pause', organisation, id);
    const stalled = await claim();
    await changes.change('resume', organisation, id);
    await changes.request('pause', organisation, id);
    expect(await claim()).toMatchObject({ action: stalled.action, attempt: stalled.attempt });
    await expect(changes.repository.finish(stalled)).rejects.toThrow(LeaseLostError);
    expect(await changes.jobs()).toBe(1);
    await changes.run();
    expect(await fixture.states(deliveries)).toEqual(['queued']);
    expect(await changes.jobs()).toBe(0);
  });

  it('are not started by a repeated request after a later one', async () => {
    const { id } = await fixture.accept(organisation);
    const [pause, resume] = [newId(), newId()];
    await changes.change('pause', organisation, id, pause);
    await changes.change('resume', organisation, id, resume);
    expect(await changes.change('pause', organisation, id, pause)).toMatchObject({ status: 'processing' });
    expect(await status(id)).toBe('resumed');
    await changes.change('pause', organisation, id);
    expect(await changes.change('resume', organisation, id, resume)).toMatchObject({ status: 'paused' });
    expect(await status(id)).toBe('paused');
  });

  it('are not started by a repeated request, even if it had changed nothing', async () => {
    const { id } = await fixture.accept(organisation);
    const resume = newId();
    await changes.change('resume', organisation, id, resume);
    await changes.change('pause', organisation, id);
    await changes.change('resume', organisation, id, resume);
    expect(await status(id)).toBe('paused');
    for (let times = 0; times < 30; times += 1) {
      await changes.request('resume', organisation, id);
      await changes.request('pause', organisation, id);
    }
    const { changeIds } = await fixture.database.message.findUniqueOrThrow({ where: { id } });
    expect(changeIds).toHaveLength(20);
  });
});
