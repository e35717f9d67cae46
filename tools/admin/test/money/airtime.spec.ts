import { checkLedger, reserve, voidReservation } from '@gangan/billing';
import { sql } from '@gangan/database';
import { newId } from '@gangan/protocol';
import { aPayment } from '@gangan/testing';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { AdminFixture } from '../support/admin-fixture.js';

describe('pnpm admin airtime', () => {
  const fixture = AdminFixture.use();
  const admin = fixture.cli();
  let organisationId: string;

  beforeAll(async () => {
    const made = await admin.json<{ organisations: { id: string }[] }>('organisations', 'create', 'Acme');
    organisationId = made.organisations[0]?.id ?? '';
  });

  const purchase = async (state: 'error' | 'sent'): Promise<string> => {
    const id = newId();
    await fixture.database.execute(sql`
      INSERT INTO airtime_purchase (id, organisation_id, network, recipient, recipient_given, amount_kobo,
        balance_before_kobo, state, submitted_at, provider, request_id, next_attempt_at)
      VALUES (${id}, ${organisationId}, 'MTN', '+2348031234567', '08031234567', 9950, 10000,
        ${state}::airtime_state, now(), 'simulator', 'r', CASE ${state} WHEN 'sent' THEN now() END)`);
    return id;
  };
  const noted = async (id: string) =>
    fixture.database.query(sql`
      SELECT state, resolution, next_attempt_at <= now() AS due FROM airtime_purchase WHERE id = ${id}`);

  it('lists purchases that wait for an operator, without their numbers', async () => {
    const id = await purchase('error');
    await purchase('sent');
    const listed = await admin.json<{ id: string }[]>('airtime', 'unresolved');
    expect(listed).toEqual([
      expect.objectContaining({
        id,
        organisation: 'Acme/live',
        network: 'MTN',
        provider: 'simulator',
        naira: 99.5,
      }),
    ]);
    expect(JSON.stringify(listed)).not.toMatch(/234803|0803\d{7}/);
  });

  it.each(['success', 'failed'])('stores the outcome %s once, for a worker to settle', async (outcome) => {
    const id = await purchase('error');
    expect(await admin.json('airtime', 'resolve', id, outcome, '--yes')).toEqual({
      purchase: id,
      outcome,
      naira: 99.5,
    });
    expect(await noted(id)).toEqual([{ state: 'error', resolution: outcome, due: true }]);
    const again = await admin.run('airtime', 'resolve', id, 'success', '--yes');
    expect(again).toMatchObject({ code: 1, err: expect.stringContaining('Only a purchase in error') });
  });

  it('changes no purchase that is in progress or unknown, and none without confirmation', async () => {
    const [sent, error] = [await purchase('sent'), await purchase('error')];
    for (const [id, code] of [
      [sent, 1],
      [newId(), 1],
      ['x', 1],
    ] as const) {
      expect(await admin.run('airtime', 'resolve', id, 'failed', '--yes')).toMatchObject({ code });
    }
    expect(await admin.run('airtime', 'resolve', error, 'failed')).toMatchObject({ code: 1 });
    expect(await admin.run('airtime', 'resolve', error, 'perhaps', '--yes')).toMatchObject({ code: 2 });
    expect(await noted(sent)).toMatchObject([{ state: 'sent', resolution: null }]);
    expect(await noted(error)).toMatchObject([{ state: 'error', resolution: null, due: null }]);
  });

  it('books a refunded purchase that turns out to be delivered as a loss, once', async () => {
    const id = await purchase('error');
    await aPayment(fixture.database, organisationId, 10_000n);
    await reserve(fixture.database, 'airtime', [{ subjectId: id, organisationId, kobo: 9_950n }]);
    await voidReservation(fixture.database, 'airtime', [{ subjectId: id, organisationId }]);
    await fixture.database.execute(
      sql`UPDATE airtime_purchase SET state = 'failed', refunded = true WHERE id = ${id}`,
    );
    expect(await admin.json('airtime', 'resolve', id, 'success', '--yes')).toEqual({
      purchase: id,
      outcome: 'loss',
      naira: 99.5,
    });
    expect(await checkLedger(fixture.database)).toMatchObject({ clean: true });
    const again = await admin.run('airtime', 'resolve', id, 'success', '--yes');
    expect(again).toMatchObject({ code: 1 });
    expect(again.err).toContain('already booked');
  });
});
