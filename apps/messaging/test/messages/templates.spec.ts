import type { ChangeTemplateFields, CreateTemplateRequest, Template } from '@gangan/contracts';
import { sql } from '@gangan/database';
import { AppError, newContext, newId } from '@gangan/protocol';
import { until } from '@gangan/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { TemplatesRepository } from '../../src/templates/templates.repository.js';
import { TemplatesService } from '../../src/templates/templates.service.js';
import { StoredMessages } from '../support/stored-messages.js';

const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}000\+00:00$/) as unknown as string;
const carrier = { channel: 'whatsapp', provider_name: 'order_sent', language: 'en_US' } as const;

describe('templates', () => {
  let stored: StoredMessages;
  let service: TemplatesService;
  let organisationId: string;
  beforeAll(async () => {
    stored = await StoredMessages.open();
    service = new TemplatesService(new TemplatesRepository(stored.database));
  });
  afterAll(() => stored.close());
  beforeEach(async () => {
    organisationId = await stored.organisation();
  });

  const mine = () => newContext({ organisationId });
  const create = (fields: Partial<CreateTemplateRequest> = {}, context = mine()) =>
    service.create({ name: 'Order', body: 'Dear {{name}}, {{order}} is sent', ...fields }, context);
  const change = (id: string, fields: ChangeTemplateFields, context = mine()) =>
    service.change(Object.assign({ id }, fields), context);
  const faultsOf = async (work: Promise<unknown>): Promise<string[]> => {
    const error: unknown = await work.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (!(error instanceof AppError)) throw new Error(`Not refused: ${String(error)}`);
    expect(error.status).toBe(400);
    return error.fields.map(({ field, type }) => `${field} ${type}`);
  };

  it('are created, read and listed in one shape', async () => {
    const made = await create();
    expect(made).toEqual({
      id: expect.any(String),
      name: 'Order',
      channel: 'sms',
      body: 'Dear {{name}}, {{order}} is sent',
      placeholders: ['name', 'order'],
      variables: [],
      created_datetime: at,
    });
    expect(await service.find({ id: made.id.toUpperCase() }, mine())).toEqual(made);
    expect(await service.list({}, mine())).toEqual({
      templates: [made],
      meta: { method: 'GET', resource: '/templates', pagination: { limit: 50 } },
    });
  });

  it('are created once by a request that runs twice', async () => {
    const context = mine();
    expect(await create({}, context)).toEqual(await create({}, context));
    expect((await service.list({}, mine())).templates).toHaveLength(1);
  });

  it('are limited to 1,000 in an organisation, until one is removed', async () => {
    await stored.database.execute(sql`
      INSERT INTO template (id, organisation_id, name, channel, body)
      SELECT gen_random_uuid(), ${organisationId}::uuid, 'Template ' || number, 'sms', 'Hello'
      FROM generate_series(1, 999) AS number`);
    const context = mine();
    const last = await create({}, context);
    await expect(create({ name: 'One more' })).rejects.toMatchObject({
      status: 403,
      code: 'quota_exceeded',
      message: 'The organisation has 1,000 templates. Delete one first.',
    });
    expect(await create({}, context)).toEqual(last);
    await service.remove({ id: last.id }, mine());
    expect(await create({ name: 'One more' })).toMatchObject({ name: 'One more' });
  });

  it('are created once by two concurrent runs of a request', async () => {
    const context = mine();
    const waiting = sql`SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%INTO%template%'`;
    let late: Promise<Template> | undefined;
    await stored.database.transaction(async (transaction) => {
      await transaction.execute(sql`
        INSERT INTO template (id, organisation_id, name, channel, body)
        VALUES (${context.operationId}, ${organisationId}, 'Order', 'sms', 'Dear {{name}}, {{order}} is sent')`);
      late = create({}, context);
      await until(
        'the statement waits for a lock',
        async () => (await stored.database.query(waiting)).length > 0,
      );
    });
    expect(await late).toMatchObject({ id: context.operationId, name: 'Order' });
  });

  it('have unique names within an organisation', async () => {
    const made = await create();
    expect(await faultsOf(create())).toEqual(['name value_error']);
    const other = await create({ name: 'Other' });
    expect(await faultsOf(change(other.id, { name: 'Order' }))).toEqual(['name value_error']);
    await change(made.id, { name: 'Order' });
    organisationId = await stored.organisation();
    await create();
  });

  it('with the same name are created once', async () => {
    const made = await Promise.allSettled(Array.from({ length: 8 }, () => create()));
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('are listed page by page, the newest first', async () => {
    const ids: string[] = [];
    for (const name of ['a', 'b', 'c', 'd', 'e']) ids.unshift((await create({ name })).id);
    const seen: string[] = [];
    let next: string | undefined;
    do {
      const page = await service.list({ limit: 2, ...(next !== undefined && { before: next }) }, mine());
      seen.push(...page.templates.map(({ id }) => id));
      next = page.meta.pagination.next;
    } while (next !== undefined);
    expect(seen).toEqual(ids);
  });

  it('change only in the given fields', async () => {
    const made = await create();
    const changed = await change(made.id, { body: 'Hello {{who}}' });
    const difference = { body: 'Hello {{who}}', placeholders: ['who'], updated_datetime: at };
    expect(changed).toEqual(Object.assign({}, made, difference));
    expect(await service.find(made, mine())).toEqual(changed);
    expect(await change(made.id, { channel: 'sms' })).toMatchObject({ channel: 'sms' });
    expect(await faultsOf(change(made.id, { channel: 'whatsapp' }))).toEqual(['channel value_error']);
  });

  it('keep concurrent changes of different fields', async () => {
    const made = await create({ ...carrier, body: 'x' });
    await Promise.all([
      change(made.id, { name: 'New' }),
      change(made.id, { body: 'y' }),
      change(made.id, { language: 'fr' }),
      change(made.id, { provider_name: 'new' }),
    ]);
    expect(await service.find(made, mine())).toMatchObject({
      name: 'New',
      body: 'y',
      language: 'fr',
      provider_name: 'new',
    });
  });

  it('are removed, and their name is free', async () => {
    const made = await create();
    expect(await service.remove(made, mine())).toEqual(made);
    await expect(service.find(made, mine())).rejects.toMatchObject({ status: 404 });
    await expect(service.remove(made, mine())).rejects.toMatchObject({ status: 404 });
    await create();
  });

  it('of other organisations, or with an invalid id, are not found', async () => {
    const { id } = await create();
    organisationId = await stored.organisation();
    for (const named of [id, newId(), 'x', '', '%00']) {
      await expect(service.find({ id: named }, mine())).rejects.toMatchObject({ status: 404 });
      await expect(change(named, { name: 'x' })).rejects.toMatchObject({ status: 404 });
      await expect(service.remove({ id: named }, mine())).rejects.toMatchObject({ status: 404 });
    }
    expect((await service.list({}, mine())).templates).toEqual([]);
  });

  describe('for WhatsApp', () => {
    it('have the carrier’s fields, and their variables in order of appearance', async () => {
      expect(await create(carrier)).toMatchObject({ ...carrier, variables: ['name', 'order'] });
    });

    it('may have their own order', async () => {
      const variables = ['order', 'name'];
      expect(await create({ ...carrier, variables })).toMatchObject({ variables });
    });

    it.each([[['name']], [['name', 'name', 'order']], [['name', 'ordr']], [['name', 'order', 'x']], [[]]])(
      'must name every placeholder once, not %p',
      async (variables) => {
        expect(await faultsOf(create({ ...carrier, variables }))).toEqual(['variables value_error']);
      },
    );

    it('need a name and a language, which other templates must not have', async () => {
      expect(await faultsOf(create({ channel: 'whatsapp', variables: [] }))).toEqual([
        'provider_name missing',
        'language missing',
        'variables value_error',
      ]);
      expect(await faultsOf(create({ ...carrier, channel: 'sms', variables: ['name'] }))).toEqual([
        'provider_name value_error',
        'language value_error',
        'variables value_error',
      ]);
    });

    it('keep variables in the order of appearance when the text changes', async () => {
      const { id } = await create(carrier);
      expect(await change(id, { body: '{{b}} {{a}}' })).toMatchObject({ variables: ['b', 'a'] });
    });

    it('require a new order if the placeholders change', async () => {
      const { id } = await create({ ...carrier, variables: ['order', 'name'] });
      expect(await change(id, { body: '{{order}}: {{name}}!' })).toMatchObject({
        variables: ['order', 'name'],
      });
      const { id: other } = await create({ ...carrier, name: 'Other', variables: ['order', 'name'] });
      expect(await faultsOf(change(other, { body: '{{a}} {{b}}' }))).toEqual(['variables value_error']);
      expect(await change(other, { body: '{{a}} {{b}}', variables: ['b', 'a'] })).toMatchObject({
        variables: ['b', 'a'],
      });
    });
  });
});
