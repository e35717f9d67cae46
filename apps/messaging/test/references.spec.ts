import { sql } from '@gangan/database';
import { newId } from '@gangan/protocol';
import { until } from '@gangan/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { SubmitResult } from '../src/providers/message-provider.js';
import { DeliveryFixture } from './support/delivery-fixture.js';
import type { DeliveryWorker } from './support/delivery-worker.js';
import { accepted, Pending, ScriptedProvider } from './support/scripted-provider.js';

const inParts = (...[first = '', ...furtherReferences]: string[]): SubmitResult => ({
  ...{ kind: 'accepted', providerReference: first, furtherReferences },
});
const absent = { code: 'absent', message: 'Switched off' };

describe('references of providers', () => {
  let fixture: DeliveryFixture;
  let provider: ScriptedProvider;
  let worker: DeliveryWorker;
  let organisation: string;
  beforeAll(async () => {
    fixture = await DeliveryFixture.open();
    organisation = await fixture.organisation();
  });
  afterAll(() => fixture.close());
  beforeEach(() => {
    provider = new ScriptedProvider();
    worker = fixture.worker({ named: [provider] });
  });

  const sendInParts = async (...references: string[]): Promise<string> => {
    provider.onSubmit = () => inParts(...references);
    const { deliveries } = await fixture.accept(organisation);
    await worker.due(organisation, deliveries);
    return deliveries[0] ?? '';
  };
  const report = (providerReference: string, state: 'delivered' | 'undelivered' = 'delivered') =>
    worker.reports.receive(provider.name, [
      { providerReference, state, ...(state === 'undelivered' && { reason: absent }) },
    ]);
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

  it('of which one is undelivered make the message undelivered', async () => {
    const [one = '', two = ''] = newReferences(2);
    const id = await sendInParts(one, two);
    await report(one);
    await report(two, 'undelivered');
    expect(await fixture.stored(id)).toMatchObject({ state: 'undelivered', code: 'absent' });
  });

  it('may all be reported at once, by several workers', async () => {
    for (let round = 0; round < 10; round += 1) {
      const references = newReferences(4);
      const id = await sendInParts(...references);
      await Promise.all([...references, ...references].map((reference) => report(reference)));
      expect(await fixture.states([id])).toEqual(['delivered']);
    }
  });

  it('may be reported before the answer', async () => {
    const answer = new Pending<SubmitResult>();
    provider.onSubmit = () => answer.answer;
    const [one = '', two = ''] = newReferences(2);
    const { deliveries } = await fixture.accept(organisation);
    const submitting = worker.due(organisation, deliveries);
    await until('the provider is called', () => provider.submitted.length === 1);
    await report(two);
    await report(one);
    expect(await fixture.states(deliveries)).toEqual(['submitting']);
    answer.give(inParts(one, two));
    await submitting;
    expect(await fixture.states(deliveries)).toEqual(['delivered']);
  });

  it('of one part do not end the message before the answer, even with our reference', async () => {
    const answer = new Pending<SubmitResult>();
    provider.onSubmit = () => answer.answer;
    const [one = '', two = ''] = newReferences(2);
    const { deliveries } = await fixture.accept(organisation);
    const submitting = worker.due(organisation, deliveries);
    await until('the provider is called', () => provider.submitted.length === 1);
    const [reference = ''] = deliveries;
    const early = { providerReference: one, reference, state: 'delivered' } as const;
    const { early: returned } = await worker.reports.receive(provider.name, [early]);
    expect([...returned]).toEqual([early]);
    expect(await fixture.states(deliveries)).toEqual(['submitting']);
    answer.give(inParts(one, two));
    await submitting;
    expect(await fixture.states(deliveries)).toEqual(['sent']);
    await worker.reports.receive(provider.name, [early, { ...early, providerReference: two }]);
    expect(await fixture.states(deliveries)).toEqual(['delivered']);
  });

  it('that no answer named count by our reference', async () => {
    provider.onSubmit = () => new Error('socket hang up');
    const { deliveries } = await fixture.accept(organisation);
    await worker.due(organisation, deliveries);
    const [providerReference = ''] = newReferences(1);
    const [reference = ''] = deliveries;
    await worker.reports.receive(provider.name, [{ providerReference, reference, state: 'delivered' }]);
    expect(await fixture.states(deliveries)).toEqual(['delivered']);
  });

  it('of an earlier attempt count if it was delivered, and not if it failed', async () => {
    const [first = '', second = '', other = '', last = ''] = newReferences(4);
    const submitTwice = async (one: string, two: string): Promise<string> => {
      provider.onSubmit = () => accepted(one);
      const { deliveries } = await fixture.accept(organisation);
      await worker.due(organisation, deliveries);
      // As if the worker had died after the answer, and the delivery was sent again.
      await fixture.crash(deliveries, provider.name);
      provider.onSubmit = () => accepted(two);
      await worker.sweep();
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
    const { unmatched } = await worker.reports.receive(provider.name, [
      { providerReference: shared, state: 'delivered' },
    ]);
    expect(unmatched.size).toBe(1);
    expect(await fixture.states([first, second])).toEqual(['sent', 'sent']);
    await worker.reports.receive(provider.name, [
      { providerReference: shared, reference: first, state: 'delivered' },
    ]);
    expect(await fixture.states([first, second])).toEqual(['delivered', 'sent']);
    await report(shared, 'undelivered');
    expect(await fixture.states([first, second])).toEqual(['delivered', 'undelivered']);
  });

  it('are removed with their delivery', async () => {
    const id = await sendInParts(...newReferences(2));
    await fixture.database.execute(sql`DELETE FROM delivery WHERE id = ${id}`);
    expect(await storedReferences(id)).toEqual([]);
  });

  it('of the simulator are not stored', async () => {
    const simulated = fixture.worker();
    await simulated.providers.refresh();
    const { deliveries } = await fixture.accept(organisation);
    await simulated.due(organisation, deliveries);
    await simulated.receiveReports();
    expect(await fixture.states(deliveries)).toEqual(['delivered']);
    expect(await storedReferences(deliveries[0] ?? '')).toEqual([]);
  });
});
