import {
  createAccount,
  newEndpointSecret,
  openCallbackSecret,
  openEndpointSecret,
  sql,
} from '@gangan/database';
import { sealedTables } from '@gangan/storage';
import { newId } from '@gangan/protocol';
import { type DataSealer, masterSealer, newSealingKey } from '@gangan/sealing';
import { aDelivery, aMessage, anEndpoint, anOrganisation, anOtp } from '@gangan/testing';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { AdminCli } from '../support/admin-cli.js';
import { AdminFixture } from '../support/admin-fixture.js';

describe('stored secrets', () => {
  const fixture = AdminFixture.use();
  const [older, newer, lost] = [newSealingKey(), newSealingKey(), newSealingKey()];
  const sealers = { older: masterSealer([older]), newer: masterSealer([newer]) };

  beforeEach(async () => {
    await fixture.database.execute(
      sql`TRUNCATE callback_secret, callback_endpoint, message, delivery, otp CASCADE`,
    );
  });

  /** All but the first two. */
  const others = sealedTables.slice(2).map(() => ({}));
  /** Providers have no secrets, and have sent nothing. */
  const nothing = (name: string) => Array.from({ length: 3 }, () => ({ [name]: 0 }));
  const adminWith = (keys: string): AdminCli => fixture.cli({ DATA_MASTER_KEY: keys });
  const reseal = (keys: string) => adminWith(keys).json<Record<string, unknown>[]>('secrets', 'reseal');
  const status = async (keys: string) => {
    const { code, out } = await adminWith(keys).run('secrets', 'status', '--json');
    return { code, rows: JSON.parse(out) as Record<string, unknown>[] };
  };
  const secretsReadableWith = async (sealer: DataSealer): Promise<string[]> => {
    const rows = await fixture.database.callbackSecret.findMany({ orderBy: { id: 'asc' } });
    return rows.map((row) => openCallbackSecret(sealer, row));
  };
  /** As version 0.2 stored them. */
  const plainSecrets = async (secrets: readonly string[]): Promise<void> => {
    const { id: organisationId } = await anOrganisation(fixture.database);
    const row = { organisationId, retiresAt: new Date() };
    await fixture.database.callbackSecret.createMany({
      data: secrets.map((secret) => ({ id: newId(), ...row, secret })),
    });
  };
  const otpBody = async (sealer: DataSealer, text: string): Promise<string> => {
    const { id: organisationId } = await anOrganisation(fixture.database);
    const [id, otpId] = [newId(), await anOtp(fixture.database, organisationId)];
    const sealedBody = sealer.seal(text, { column: 'delivery.sealed_body', organisationId, id });
    return aDelivery(fixture.database, organisationId, { id, otpId, sealedBody });
  };

  const otpToken = async (sealer: DataSealer, token: string): Promise<string> => {
    const { id: organisationId } = await anOrganisation(fixture.database);
    const id = newId();
    const sealedToken = sealer.seal(token, { column: 'otp.sealed_token', organisationId, id });
    return anOtp(fixture.database, organisationId, { id, sealedToken });
  };

  const endpointSecret = async (sealer: DataSealer, organisationId: string) => {
    const endpointId = await anEndpoint(fixture.database, organisationId);
    const secret = newEndpointSecret(sealer, newId(), organisationId);
    await fixture.database.callbackEndpointSecret.create({ data: { ...secret, endpointId } });
    return secret;
  };

  /** A sealed message with a sealed link, beside plain ones, which stay plain. */
  const messageAndLink = async (sealer: DataSealer): Promise<{ id: string; code: string }> => {
    const { id: organisationId } = await anOrganisation(fixture.database);
    const [id, code] = [newId(), 'sealed'];
    const sealedText = sealer.seal('a text', { column: 'message.sealed_text', organisationId, id });
    await aMessage(fixture.database, organisationId, { id, content: null, sealedText });
    const messageId = await aMessage(fixture.database, organisationId);
    const deliveryId = await aDelivery(fixture.database, organisationId, { messageId });
    const place = { column: 'tracked_link.sealed_url', organisationId, id: code } as const;
    const sealedUrl = Uint8Array.from(sealer.seal('https://a.example/', place));
    await fixture.database.trackedLink.createMany({
      data: [
        { deliveryId, position: 0, code, sealedUrl },
        { deliveryId, position: 1, code: 'plain', url: 'https://b.example/' },
      ],
    });
    return { id, code };
  };

  /** A sealed message that an organisation received, with its sealed callback, and one of its outbox. */
  const receivedMessage = async (sealer: DataSealer, organisationId: string): Promise<void> => {
    const id = newId();
    const seal = (
      column: 'incoming_message.sealed_text' | 'callback.sealed_body' | 'outbox_message.sealed_text',
    ) => Uint8Array.from(sealer.seal('a text', { column, organisationId, id }));
    const own = { id, organisationId };
    await fixture.database.incomingMessage.create({
      data: {
        ...own,
        ...{ channel: 'sms', number: '22345', sender: '+2348031234567', type: 'text' },
        ...{ provider: 'carrier', providerReference: id },
        sealedText: seal('incoming_message.sealed_text'),
      },
    });
    await fixture.database.outboxMessage.create({
      data: {
        ...own,
        ...{ deliveryId: id, channel: 'sms', sender: 'Acme', recipient: '+2348031234567' },
        ...{ outcome: 'accepted', createdAt: new Date() },
        sealedText: seal('outbox_message.sealed_text'),
      },
    });
    await fixture.database.callback.create({
      data: {
        ...own,
        ...{ type: 'message.received', resourceId: id, requestId: 'request-1' },
        ...{ url: 'https://a.example/', host: 'a.example', body: '{}' },
        sealedBody: seal('callback.sealed_body'),
      },
    });
  };

  it('are sealed again with the first key, whether they were sealed with an earlier one or not at all', async () => {
    const plain = Array.from({ length: 1_100 }, (_, index) => `whsec_${index}`);
    await plainSecrets(plain);
    const { organisations } = await createAccount(fixture.database, sealers.older, {
      name: 'Acme',
      sender: 'Acme',
    });
    const known = [...plain, ...organisations.map(({ callbackSecret }) => callbackSecret)];
    const delivery = await otpBody(sealers.older, 'Your code is 1234');
    const message = await messageAndLink(sealers.older);
    await receivedMessage(sealers.older, organisations[0]?.id ?? '');
    const endpoint = await endpointSecret(sealers.older, organisations[0]?.id ?? '');
    const otp = await otpToken(sealers.older, '0042');

    const before = { not_sealed: 1_100, first_key: 0, earlier_keys: 2, unknown_keys: 0 };
    expect(await status(`${newer},${older}`)).toMatchObject({
      code: 1,
      rows: [
        before,
        { earlier_keys: 1 },
        { earlier_keys: 1 },
        { earlier_keys: 1 },
        ...nothing('earlier_keys'),
        ...Array.from({ length: 5 }, () => ({ earlier_keys: 1 })),
      ],
    });
    const none = { skipped: 0, damaged: 0 };
    expect(await reseal(`${newer},${older}`)).toEqual([
      { stored: 'callback_secret.sealed_secret', checked: 1_102, resealed: 1_102, ...none },
      { stored: 'delivery.sealed_body', checked: 1, resealed: 1, ...none },
      { stored: 'message.sealed_text', checked: 2, resealed: 1, ...none },
      { stored: 'tracked_link.sealed_url', checked: 2, resealed: 1, ...none },
      { stored: 'provider.sealed_secrets', checked: 0, resealed: 0, ...none },
      { stored: 'provider.sealed_token', checked: 0, resealed: 0, ...none },
      { stored: 'inbound_request.sealed_content', checked: 0, resealed: 0, ...none },
      { stored: 'callback_endpoint_secret.sealed_secret', checked: 1, resealed: 1, ...none },
      { stored: 'incoming_message.sealed_text', checked: 1, resealed: 1, ...none },
      { stored: 'callback.sealed_body', checked: 1, resealed: 1, ...none },
      { stored: 'otp.sealed_token', checked: 1, resealed: 1, ...none },
      { stored: 'outbox_message.sealed_text', checked: 1, resealed: 1, ...none },
    ]);
    expect((await secretsReadableWith(sealers.newer)).sort()).toEqual(known.sort());
    const { organisationId, sealedBody } = await fixture.database.delivery.findUniqueOrThrow({
      where: { id: delivery },
    });
    const place = { column: 'delivery.sealed_body', organisationId, id: delivery } as const;
    expect(sealers.newer.open(sealedBody ?? Buffer.alloc(0), place)).toBe('Your code is 1234');

    const { organisationId: owner, sealedText } = await fixture.database.message.findUniqueOrThrow({
      where: { id: message.id },
    });
    const text = { column: 'message.sealed_text', organisationId: owner, id: message.id } as const;
    expect(sealers.newer.open(sealedText ?? Buffer.alloc(0), text)).toBe('a text');
    const { sealedUrl } = await fixture.database.trackedLink.findUniqueOrThrow({
      where: { code: message.code },
    });
    const url = { column: 'tracked_link.sealed_url', organisationId: owner, id: message.code } as const;
    expect(sealers.newer.open(sealedUrl ?? Buffer.alloc(0), url)).toBe('https://a.example/');

    const secret = await fixture.database.callbackEndpointSecret.findFirstOrThrow();
    expect(openEndpointSecret(sealers.newer, secret)).toBe(openEndpointSecret(sealers.older, endpoint));

    const { organisationId: sender, sealedToken } = await fixture.database.otp.findUniqueOrThrow({
      where: { id: otp },
    });
    const token = { column: 'otp.sealed_token', organisationId: sender, id: otp } as const;
    expect(sealers.newer.open(sealedToken ?? Buffer.alloc(0), token)).toBe('0042');

    const incoming = await fixture.database.incomingMessage.findFirstOrThrow();
    expect(
      sealers.newer.open(incoming.sealedText ?? Buffer.alloc(0), {
        column: 'incoming_message.sealed_text',
        organisationId: incoming.organisationId,
        id: incoming.id,
      }),
    ).toBe('a text');

    // Repeated, it finds nothing to do.
    const unchanged = { resealed: 0 };
    expect(await reseal(newer)).toMatchObject(sealedTables.map(() => unchanged));
    expect(await status(newer)).toMatchObject({
      code: 0,
      rows: [
        { first_key: 1_102 },
        { first_key: 1 },
        { first_key: 1 },
        { first_key: 1 },
        ...nothing('first_key'),
        ...Array.from({ length: 5 }, () => ({ first_key: 1 })),
      ],
    });
  });

  it('stay unchanged if their key is unknown or they belong to another row', async () => {
    await otpBody(masterSealer([lost]), 'lost');
    for (const name of ['Acme', 'Other'])
      await createAccount(fixture.database, sealers.older, { name, sender: 'Acme' });
    const [first, second] = await fixture.database.callbackSecret.findMany({ orderBy: { id: 'asc' } });
    const sealedSecret = second?.sealedSecret ?? null;
    await fixture.database.callbackSecret.update({ where: { id: first?.id ?? '' }, data: { sealedSecret } });

    const run = await adminWith(`${newer},${older}`).run('secrets', 'reseal', '--json');
    expect(run.code).toBe(1);
    expect(JSON.parse(run.out)).toMatchObject([
      { resealed: 3, damaged: 1 },
      { checked: 1, resealed: 0 },
      ...others,
    ]);
    const { code, rows } = await status(newer);
    expect(code).toBe(1);
    expect(rows).toMatchObject([{ first_key: 3, unknown_keys: 1 }, { unknown_keys: 1 }, ...others]);
  });

  it('are skipped while an app changes them', async () => {
    const delivery = await otpBody(sealers.older, 'Your code is 1234');
    await fixture.database.transaction(async (transaction) => {
      await transaction.execute(sql`UPDATE delivery SET attempt = attempt + 1 WHERE id = ${delivery}`);
      const run = await adminWith(`${newer},${older}`).run('secrets', 'reseal', '--json');
      expect(JSON.parse(run.out)).toMatchObject([{}, { resealed: 0, skipped: 1 }, ...others]);
      expect(run.code).toBe(1);
    });
    expect(await reseal(`${newer},${older}`)).toMatchObject([{}, { resealed: 1, skipped: 0 }, ...others]);
  });

  it('cannot be sealed without a key', async () => {
    for (const command of ['status', 'reseal'])
      expect(await adminWith('').run('secrets', command)).toMatchObject({
        code: 1,
        err: expect.stringContaining('set DATA_MASTER_KEY'),
      });
    expect((await adminWith('c2hvcnQ=').run('secrets', 'status')).err).toContain(
      'DATA_MASTER_KEY must be one key, or two',
    );
    expect((await adminWith('').run('organisations', 'create', 'Keyless')).err).toContain(
      'set DATA_MASTER_KEY',
    );
  });
});
