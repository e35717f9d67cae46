import { declaredStatements, deliveryAttempts, sql } from '@gangan/database';
import { newId } from '@gangan/protocol';
import { seededRandom, until } from '@gangan/testing';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { applyTransitions } from '../../src/outcome/apply-transitions.js';
import type { Transition } from '../../src/outcome/transition.js';
import type { SubmitResult } from '../../src/providers/message-provider.js';
import { DeliveryFixture } from '../support/delivery-fixture.js';
import { accepted, Pending, ScriptedProvider } from '../support/scripted-provider.js';

const leaseMs = 40_000;

describe('outcomes of deliveries', () => {
  const fixture = DeliveryFixture.use(12);
  let organisation: string;
  beforeEach(async () => {
    organisation = await fixture.organisation();
  });

  const accept = async (count = 1): Promise<string[]> => {
    const recipients = Array.from({ length: count }, (_, index) => `+23480312${10_000 + index}`);
    return (await fixture.accept(organisation, { recipients })).deliveries;
  };
  const scripted = (onSubmit: ScriptedProvider['onSubmit']): ScriptedProvider =>
    Object.assign(new ScriptedProvider(), { onSubmit });
  const rowsOf = (id: string) =>
    fixture.database.query(sql`
      SELECT attempt, outcome FROM delivery_attempt WHERE delivery_id = ${id}::uuid ORDER BY attempt`);

  describe('of a first attempt', () => {
    it('are stored in the delivery alone, if its provider accepted it at once', async () => {
      const [id = ''] = await accept();
      const [{ at: before } = { at: new Date(0) }] = await fixture.database.query<{ at: Date }>(
        sql`SELECT now() AS at`,
      );
      const cost = { micros: 3_500_000n, currency: 'NGN' };
      const provider = scripted((): SubmitResult => ({ kind: 'accepted', providerReference: newId(), cost }));
      const worker = await fixture.worker({ named: [provider] });
      await worker.due(organisation, [id]);
      expect(await rowsOf(id)).toEqual([]);
      const made = await fixture.database.query<{ started: Date; ended: Date }>(sql`
        SELECT attempt, provider, outcome, error_code AS code, cost_micros AS micros, cost_currency AS currency,
          cost_reported AS "isReported", started_at AS started, ended_at AS ended
        FROM ${deliveryAttempts} AS made WHERE delivery_id = ${id}::uuid`);
      expect(made).toMatchObject([
        { attempt: 1, provider: 'scripted', outcome: 'accepted', code: null, ...cost, isReported: null },
      ]);
      const [{ started, ended } = { started: new Date(0), ended: new Date(0) }] = made;
      expect(started.getTime()).toBeGreaterThanOrEqual(before.getTime());
      expect(ended.getTime()).toBeGreaterThanOrEqual(started.getTime());
    });

    it.each([
      ['refused', { kind: 'transient', reason: { code: 'busy', message: 'Busy' } }, 'transient'],
      ['not answered', { kind: 'unknown' }, 'unknown'],
    ] as const)('have a row if it was %s', async (_, result, outcome) => {
      const [id = ''] = await accept();
      const worker = await fixture.worker({ named: [scripted(() => result)] });
      await worker.due(organisation, [id]);
      expect(await rowsOf(id)).toEqual([{ attempt: 1, outcome }]);
    });

    it('have the row that it got when its lease was released', async () => {
      const [id = ''] = await accept();
      const answer = new Pending<SubmitResult>();
      const provider = scripted(() => answer.answer);
      const worker = await fixture.worker({ named: [provider], timeoutMs: 10_000 });
      const delivering = worker.due(organisation, [id]);
      await until('the provider is called', () => provider.submitted.length === 1);
      await fixture.database.transaction((transaction) =>
        worker.holder.takeOver(transaction, worker.holder.id),
      );
      expect(await rowsOf(id)).toEqual([{ attempt: 1, outcome: null }]);
      answer.give(accepted(newId()));
      await delivering;
      expect(await rowsOf(id)).toEqual([{ attempt: 1, outcome: 'accepted' }]);
      expect(await fixture.attempts(id)).toEqual([{ provider: 'scripted', outcome: 'accepted' }]);
    });

    it('have the row that it got before its lease was renewed', async () => {
      const [id = ''] = await accept();
      await fixture.database.execute(sql`
        UPDATE delivery SET state = 'submitting', attempt = 1, provider = 'scripted', lease_holder = 7,
          next_attempt_at = now() + interval '20 seconds' WHERE id = ${id}::uuid`);
      await fixture.database.execute(sql`
        INSERT INTO delivery_attempt (delivery_id, attempt, provider) VALUES (${id}::uuid, 1, 'scripted')`);
      const change = {
        state: 'sent',
        delayMs: 1_000,
        refund: false,
        notify: true,
        outcome: 'accepted',
      } as const;
      const delivery = { id, organisationId: organisation, attempt: 1, state: 'submitting' } as const;
      await applyTransitions(fixture.database, [{ delivery, change, routeId: null }], leaseMs);
      expect(await rowsOf(id)).toEqual([{ attempt: 1, outcome: 'accepted' }]);
      expect(await fixture.attempts(id)).toEqual([{ provider: 'scripted', outcome: 'accepted' }]);
    });
  });

  describe('of the same deliveries, which several workers store at once', () => {
    const random = seededRandom('outcomes that several workers store');

    /** The delivery waits longer, which any number of workers can store. */
    const postpone = (id: string): Transition => ({
      delivery: { id, organisationId: organisation, attempt: 0, state: 'queued' },
      change: { state: 'queued', delayMs: 60_000, refund: false, notify: false },
      routeId: null,
    });

    it('are stored without a deadlock', async () => {
      const ids = await accept(400);
      for (let round = 0; round < 6; round += 1) {
        // Moves the rows, so that their places in the table are in another order than their ids.
        const moved = ids.filter(() => random() < 0.5);
        await fixture.database.execute(
          sql`UPDATE delivery SET updated_at = now() WHERE id = ANY (${moved}::uuid[])`,
        );
        if (round === 3) await fixture.database.execute(sql`ANALYZE delivery`);
        const applied = await Promise.all(
          Array.from({ length: 8 }, () => {
            const own = ids.filter(() => random() < 0.7).toSorted(() => random() - 0.5);
            return applyTransitions(fixture.database, own.map(postpone), leaseMs).then(
              ({ deliveries }) => deliveries.length === own.length,
            );
          }),
        );
        // A deadlock would be an error.
        expect(applied).toEqual(applied.map(() => true));
      }
    });

    it('change nothing in a delivery that another worker has changed while they waited for it', async () => {
      const [id = ''] = await accept();
      const [begin, end] = [new Pending<undefined>(), new Pending<undefined>()];
      const other = fixture.database.transaction(async (transaction) => {
        await transaction.execute(sql`UPDATE delivery SET attempt = 1 WHERE id = ${id}::uuid`);
        begin.give(undefined);
        await end.answer;
      });
      await begin.answer;
      const applying = applyTransitions(fixture.database, [postpone(id)], leaseMs);
      await fixture.untilLocked().finally(() => {
        end.give(undefined);
      });
      await other;
      expect((await applying).deliveries).toEqual([]);
    });

    it('are looked up one by one, in the order of the changes, whatever the table is like', async () => {
      const statement = declaredStatements().find(
        ({ shape = {}, declared }) =>
          'hasEndpoints' in shape && declared.stack?.includes('apply-transitions'),
      );
      const expectOrder = async (ids: readonly string[]): Promise<void> => {
        const own = [ids.map(postpone), leaseMs];
        const plan = await fixture.database.query<{ 'QUERY PLAN': string }>(
          sql`EXPLAIN ${statement?.build(...(own as never)) ?? sql``}`,
        );
        const lines = plan.map((line) => line['QUERY PLAN'].trim());
        const update = lines.findIndex((line) => line.includes('Update on delivery'));
        expect(lines.slice(update + 1, update + 4).join('\n')).toMatch(
          /^-> +Nested Loop .*\n-> +CTE Scan on change .*\n-> +Index Scan using delivery_pkey /,
        );
      };
      const expectOrders = async (): Promise<void> => {
        for (const count of [1, 20, 1_000]) await expectOrder(Array.from({ length: count }, () => newId()));
      };
      await fixture.database.execute(sql`TRUNCATE message CASCADE`);
      await expectOrders();
      await accept(2_000);
      await expectOrders();
      await fixture.database.execute(sql`VACUUM ANALYZE delivery`);
      await expectOrders();
    });
  });
});
