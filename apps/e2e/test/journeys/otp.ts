import { sql } from '@gangan/database';
import { until } from '@gangan/testing';
import { expect, it } from '@jest/globals';
import { ownOrganisation } from '../support/new-organisation.js';
import type { RunningSystem } from '../support/running.js';

interface Otp {
  readonly id: string;
  readonly status: number;
}

export function verifiesOtps(running: RunningSystem): void {
  const { system, database } = running;
  const { key } = ownOrganisation(running, 'OTPs');
  const request = async (body: object): Promise<Otp> => {
    const answer = await system().request({ method: 'POST', path: '/otp/request_token', key: key(), body });
    expect(answer).toMatchObject({ status: 200, body: { status: 1, status_desc: 'SENT' } });
    return answer.body as Otp;
  };
  const verify = (id: string, token: string) =>
    system().request({ method: 'POST', path: '/otp/verify', key: key(), body: { id, token } });
  const read = (id: string) => system().request({ path: `/otp/${id}`, key: key() });
  const available = async (): Promise<number> =>
    ((await system().request({ path: '/balance', key: key() })).body as { available_balance: number })
      .available_balance;
  const deliveryOf = async (id: string) => {
    const [row] = await database().query<{ state: string; sealed: boolean }>(sql`
      SELECT state, sealed_body IS NOT NULL AS sealed FROM delivery WHERE otp_id = ${id}`);
    return row;
  };

  it('sends an OTP, delivers it, and accepts its token once', async () => {
    const { id } = await request({ recipient: '0803 400 0001', token: '00427', expires_in: 5 });
    await until('the OTP is delivered', async () => (await deliveryOf(id))?.state === 'delivered');
    expect(await deliveryOf(id)).toEqual({ state: 'delivered', sealed: false });
    expect(await verify(id, '00428')).toMatchObject({
      status: 400,
      body: { message: 'The token is wrong; 4 attempts are left', errors: [{ type: 'token_mismatch' }] },
    });
    const verified = await verify(id, '00427');
    expect(verified).toMatchObject({
      status: 200,
      body: { id, recipient: '0803 400 0001', status: 2, status_desc: 'VERIFIED' },
    });
    expect((await read(id)).body).toMatchObject({
      ...(verified.body as Otp),
      sends: [{ channel: 'sms', status: 'delivered' }],
    });
    expect(await verify(id, '00427')).toMatchObject({
      status: 409,
      body: { errors: [{ type: 'already_verified' }] },
    });
  });

  it('shows a test the token that a user would get', async () => {
    const { id } = await request({ recipient: '0803 400 0011' });
    const path = '/simulator/messages?recipient=08034000011';
    const text = await until('the simulator has the OTP', async () => {
      const { messages } = (await system().request({ path, key: key() })).body as {
        messages: { otp_id?: string; text: string }[];
      };
      return messages.find(({ otp_id: otpId }) => otpId === id)?.text;
    });
    const [token = ''] = /\b\d{4,10}\b/.exec(text) ?? [];
    expect(await verify(id, token)).toMatchObject({ status: 200, body: { status_desc: 'VERIFIED' } });
  });

  it('accepts one of a hundred concurrent correct tokens', async () => {
    const { id } = await request({ recipient: '08034000002', token: 'right' });
    const answers = await Promise.all(Array.from({ length: 100 }, () => verify(id, 'right')));
    const statuses = answers.map(({ status }) => status);
    expect([200, 409].map((status) => statuses.filter((one) => one === status).length)).toEqual([1, 99]);
  });

  it.each(['+2347000000002', '+2347000000004'])(
    'fails what cannot reach %s, and gives it back',
    async (recipient) => {
      const before = await available();
      const { id } = await request({ recipient });
      await until('the OTP ends', async () => ((await read(id)).body as Otp).status !== 1);
      expect((await read(id)).body).toMatchObject({ status: 4, status_desc: 'FAILED' });
      await until('the charge is refunded', async () => (await available()) === before);
      expect(await available()).toBe(before);
      expect((await deliveryOf(id))?.sealed).toBe(false);
    },
  );

  it('sends an OTP again, once per Idempotency-Key, and shows both messages', async () => {
    const { id } = await request({ recipient: '08034000004', token: '00427' });
    const question = {
      method: 'POST' as const,
      path: `/otp/${id}/resend`,
      key: key(),
      headers: { 'idempotency-key': `resend-${id}` },
    };
    const sent = await system().request(question);
    expect(sent).toMatchObject({ status: 200, body: { id, status: 1, sends: [{}, { channel: 'sms' }] } });
    expect((await system().request(question)).body).toEqual(sent.body);
    const body = { channel: 'whatsapp' };
    const third = await system().request({ method: 'POST', path: `/otp/${id}/resend`, key: key(), body });
    expect(third).toMatchObject({ status: 200, body: { sends: [{}, {}, { channel: 'whatsapp' }] } });
    await until('all messages are delivered', async () => {
      const { sends } = (await read(id)).body as { sends: { status: string }[] };
      return sends.length === 3 && sends.every(({ status }) => status === 'delivered');
    });
    expect((await verify(id, '00427')).status).toBe(200);
    expect(await system().request({ method: 'POST', path: `/otp/${id}/resend`, key: key() })).toMatchObject({
      status: 409,
      body: { errors: [{ field: 'id', type: 'already_verified' }] },
    });
  });

  it('sends by SMS with the same token what WhatsApp rejects', async () => {
    const before = await available();
    const { id } = await request({
      ...{ recipient: '+2347000000010', token: '00427' },
      ...{ channel: 'whatsapp', fallback_channels: ['sms'] },
    });
    await until('the SMS is delivered', async () => {
      const { sends } = (await read(id)).body as { sends: { channel: string; status: string }[] };
      return (
        sends.map(({ channel, status }) => `${channel} ${status}`).join() ===
        'whatsapp rejected,sms delivered'
      );
    });
    expect((await verify(id, '00427')).status).toBe(200);
    expect((await verify(id, '00427')).status).toBe(409);
    const [row] = await database().query<{ naira: number; stored: number }>(sql`
      SELECT (SELECT charge_kobo::float8 / 100 FROM delivery WHERE otp_id = ${id} AND channel = 'sms') AS naira,
        (SELECT count(*)::int FROM otp WHERE id = ${id} AND sealed_token IS NOT NULL) AS stored`);
    expect(row?.stored).toBe(0);
    await until('only the SMS is charged', async () => (await available()) === before - (row?.naira ?? 0));
  });

  it('tries the other channel before it fails, and gives both charges back', async () => {
    const before = await available();
    const { id } = await request({
      recipient: '+2347000000002',
      channel: 'whatsapp',
      fallback_channels: ['sms'],
    });
    await until('the OTP ends', async () => ((await read(id)).body as Otp).status !== 1);
    expect((await read(id)).body).toMatchObject({
      status: 4,
      sends: [
        { channel: 'whatsapp', status: 'rejected', reason: { code: 'invalid_number' } },
        { channel: 'sms', status: 'rejected' },
      ],
    });
    await until('the charges are refunded', async () => (await available()) === before);
    await until('the token is deleted', async () => {
      const rows = await database().query(sql`SELECT FROM otp WHERE id = ${id} AND sealed_token IS NULL`);
      return rows.length === 1;
    });
  });

  it('lists the OTPs of a recipient and revokes one', async () => {
    const recipient = '+2348034000003';
    const older = await request({ recipient, channel: 'whatsapp', token: 'right' });
    const newer = await request({ recipient });
    const lists = await Promise.all([
      system().request({ path: `/otp/get-by-recipient?recipient=${recipient}`, key: key() }),
      system().request({ path: '/otp/get-by-recipient', key: key(), body: { recipient: '08034000003' } }),
      system().request({ path: `/otp/get-by-recipient/${recipient}`, key: key() }),
    ]);
    for (const { status, body } of lists) {
      expect([status, (body as Otp[]).map(({ id }) => id)]).toEqual([200, [newer.id, older.id]]);
    }
    const revoked = await system().request({ method: 'DELETE', path: `/otp/${older.id}`, key: key() });
    expect(revoked).toMatchObject({ status: 200, body: { status: 5, status_desc: 'REVOKED' } });
    expect(await verify(older.id, 'right')).toMatchObject({
      status: 400,
      body: { errors: [{ type: 'token_revoked' }] },
    });
  });
}
