import { deliveryAttempts, sql } from '@gangan/database';
import { newId } from '@gangan/protocol';
import { randomFrom } from '@gangan/testing';
import { describe, expect, it } from '@jest/globals';
import type { SubmitResult } from '../../src/providers/message-provider.js';
import { ScriptedFixture } from '../support/scripted-fixture.js';
import { accepted } from '../support/scripted-provider.js';

const inParts = (...[first = '', ...furtherReferences]: string[]): SubmitResult => ({
  kind: 'accepted',
  providerReference: first,
  furtherReferences,
});
const absent = { code: 'absent', message: 'Switched off' };

describe('references of providers', () => {
  const scripted = ScriptedFixture.use();
  const { fixture } = scripted;

  const sendInParts = async (...references: string[]): Promise<string> => {
    scripted.provider.onSubmit = () => inParts(...references);
    const [id = ''] = await scripted.send();
    return id;
  };
  const report = (providerReference: string, state: 'delivered' | 'undelivered' = 'delivered') =>
    scripted.receive([{ providerReference, state, ...(state === 'undelivered' && { reason: absent }) }]);
  const storedReferences = (id: string): Promise<{ reference: string; attempt: number; part: number }[]> =>
    fixture.database.query(sql`
      SELECT reference, attempt, part::int FROM provider_reference WHERE delivery_id = ${id} ORDER BY attempt, part`);
  const newReferences = (count: number): string[] => Array.from({ length: count }, () => newId());

  it('are stored for each part, and delivered parts end the message together', async () => {
    const references = newReferences(3);
    const [one = '', two = '', three = ''] = references;
    const id = await sendInParts(...references);
    expect(await storedReferences(id)).toEqual(
      references.map((reference, index) => ({ reference, attempt: 1, part: index + 1 })),
    );
    await report(two);
    await report(two);
    await report(three);
    expect(await fixture.states([id])).toEqual(['sent']);
    await report(one);
    expect(await fixture.states([id])).toEqual(['delivered']);
  });

  it('have a cost each: that of the message is their sum, once all are known', async () => {
    const costOf = async (id: string): Promise<(bigint | null)[]> => {
      const rows = await fixture.database.query<{ micros: bigint | null }>(sql`
        SELECT cost_micros AS micros FROM ${deliveryAttempts} AS made WHERE delivery_id = ${id}::uuid ORDER BY attempt`);
      return rows.map(({ micros }) => micros);
    };
    const random = randomFrom(36);
    for (let round = 0; round < 8; round += 1) {
      const references = newReferences(1 + Math.floor(random() * 4));
      const id = await sendInParts(...references);
      const first = new Map<string, bigint>();
      const sum = (): bigint | null =>
        first.size === references.length ? [...first.values()].reduce((all, one) => all + one, 0n) : null;
      // Each part at least twice, in any order, failed or delivered, with another price each time.
      const reports = [...references, ...references, ...references]
        .map((providerReference) => ({
          providerReference,
          at: random(),
          micros: BigInt(Math.floor(random() * 1e6)),
        }))
        .toSorted((one, other) => one.at - other.at);
      for (const { providerReference, micros } of reports) {
        const state = random() < 0.3 ? 'undelivered' : 'delivered';
        await scripted.receive([{ providerReference, state, cost: { micros, currency: 'NGN' } }]);
        if (!first.has(providerReference)) first.set(providerReference, micros);
        expect(await costOf(id)).toEqual([sum()]);
      }
    }
  });

  it('count as delivered if they are read', async () => {
    const [one = '', two = ''] = newReferences(2);
    const id = await sendInParts(one, two);
    for (const providerReference of [one, two])
      await scripted.receive([{ providerReference, state: 'read' }]);
    expect(await fixture.states([id])).toEqual(['delivered']);
  });

  it('that fail and succeed in one request count as delivered, in any order', async () => {
    for (const states of [['undelivered', 'delivered'] as const, ['delivered', 'undelivered'] as const]) {
      const [providerReference = ''] = newReferences(1);
      const id = await sendInParts(providerReference);
      await scripted.receive(states.map((state) => ({ providerReference, state })));
      expect(await fixture.stored(id)).toMatchObject({ state: 'delivered', refunded: false });
    }
  });

  it('make the message undelivered if one of them is', async () => {
    const [one = '', two = ''] = newReferences(2);
    const id = await sendInParts(one, two);
    await report(one);
    await report(two, 'undelivered');
    expect(await fixture.stored(id)).toMatchObject({ state: 'undelivered', code: 'absent' });
  });

  it('may be reported at the same time, to several workers', async () => {
    for (let round = 0; round < 10; round += 1) {
      const references = newReferences(4);
      const id = await sendInParts(...references);
      await Promise.all([...references, ...references].map((reference) => report(reference)));
      expect(await fixture.states([id])).toEqual(['delivered']);
    }
  });

  it('may be reported before the answer', async () => {
    const [one = '', two = ''] = newReferences(2);
    const { deliveries, answer } = await scripted.startSubmitting();
    await report(two);
    await report(one);
    expect(await fixture.states(deliveries)).toEqual(['submitting']);
    await answer(inParts(one, two));
    expect(await fixture.states(deliveries)).toEqual(['delivered']);
  });

  it('of one part do not end the message before the answer, even with our reference', async () => {
    const [one = '', two = ''] = newReferences(2);
    const { deliveries, answer } = await scripted.startSubmitting();
    const [reference = ''] = deliveries;
    const early = { providerReference: one, reference, state: 'delivered' } as const;
    const { early: returned } = await scripted.receive([early]);
    expect([...returned]).toEqual([early]);
    expect(await fixture.states(deliveries)).toEqual(['submitting']);
    await answer(inParts(one, two));
    expect(await fixture.states(deliveries)).toEqual(['sent']);
    await scripted.receive([early, { ...early, providerReference: two }]);
    expect(await fixture.states(deliveries)).toEqual(['delivered']);
  });

  it('that are in no answer count by our reference', async () => {
    scripted.provider.onSubmit = () => new Error('socket hang up');
    const deliveries = await scripted.send();
    const [providerReference = ''] = newReferences(1);
    const [reference = ''] = deliveries;
    await scripted.receive([{ providerReference, reference, state: 'delivered' }]);
    expect(await fixture.states(deliveries)).toEqual(['delivered']);
  });

  it('of an earlier attempt count if it was delivered, and not if it failed', async () => {
    const [first = '', second = '', other = '', last = ''] = newReferences(4);
    const submitTwice = async (one: string, two: string): Promise<string> => {
      scripted.provider.onSubmit = () => accepted(one);
      const deliveries = await scripted.send();
      // As if this answer had come late, after its worker was taken for dead.
      await fixture.database.execute(sql`
        INSERT INTO provider_reference (provider, reference, delivery_id, attempt)
        SELECT provider, provider_reference, id, attempt FROM delivery WHERE id = ANY (${deliveries}::uuid[])`);
      await fixture.crash(deliveries, scripted.provider.name);
      scripted.provider.onSubmit = () => accepted(two);
      await scripted.worker.sweep();
      return deliveries[0] ?? '';
    };
    const failed = await submitTwice(first, second);
    expect(await storedReferences(failed)).toMatchObject([
      { reference: first, attempt: 1 },
      { reference: second, attempt: 2 },
    ]);
    await report(first, 'undelivered');
    expect(await fixture.states([failed])).toEqual(['sent']);
    await report(second, 'undelivered');
    expect(await fixture.states([failed])).toEqual(['undelivered']);
    const delivered = await submitTwice(other, last);
    await report(other);
    expect(await fixture.states([delivered])).toEqual(['delivered']);
  });

  it('that a provider returns twice count only while one of the deliveries waits for its report', async () => {
    const [shared = ''] = newReferences(1);
    const first = await sendInParts(shared);
    const second = await sendInParts(shared);
    expect(fixture.output.warnings.join()).toContain('the same reference for several messages');
    const { unmatched } = await scripted.receive([{ providerReference: shared, state: 'delivered' }]);
    expect(unmatched.size).toBe(1);
    expect(await fixture.states([first, second])).toEqual(['sent', 'sent']);
    await scripted.receive([{ providerReference: shared, reference: first, state: 'delivered' }]);
    expect(await fixture.states([first, second])).toEqual(['delivered', 'sent']);
    await report(shared, 'undelivered');
    expect(await fixture.states([first, second])).toEqual(['delivered', 'undelivered']);
  });

  it('are removed with their delivery', async () => {
    const id = await sendInParts(...newReferences(2));
    await fixture.database.execute(sql`DELETE FROM delivery WHERE id = ${id}`);
    expect(await storedReferences(id)).toEqual([]);
  });

  it('are in the delivery alone, if it is the only one of a first attempt', async () => {
    const [reference = ''] = newReferences(1);
    const id = await sendInParts(reference);
    expect(await storedReferences(id)).toEqual([]);
    expect(
      await fixture.database.query(
        sql`SELECT provider_reference AS reference FROM delivery WHERE id = ${id}::uuid`,
      ),
    ).toEqual([{ reference }]);
    await report(reference);
    expect(await fixture.states([id])).toEqual(['delivered']);
  });

  it('of the simulator are not stored', async () => {
    const simulated = await fixture.worker();
    await simulated.providers.refresh();
    const { deliveries } = await fixture.accept(scripted.organisation);
    await simulated.due(scripted.organisation, deliveries);
    await simulated.receiveReports();
    expect(await fixture.states(deliveries)).toEqual(['delivered']);
    expect(await storedReferences(deliveries[0] ?? '')).toEqual([]);
  });
});
