import { sql } from '@gangan/database';
import { anEndpoint } from '@gangan/testing';
import { keyScopes, newId } from '@gangan/protocol';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { AdminFixture } from './support/admin-fixture.js';

interface Finding {
  readonly check: string;
  readonly who: string;
  readonly what: string;
  readonly mend: string;
}

describe('pnpm admin security review', () => {
  const fixture = AdminFixture.use();
  const environment = { BACKUP_KEY: 'set' };
  const admin = fixture.cli(environment);

  const review = async (variables: Record<string, string> = {}) => {
    const { code, out } = await fixture
      .cli({ ...environment, ...variables })
      .run('security', 'review', '--json');
    const findings = JSON.parse(out) as Finding[];
    return { code, findings };
  };

  let id: string;
  let allScopes: string;

  beforeAll(async () => {
    for (const name of ['ada', 'grace']) await fixture.addOperator(name);
    const created = await admin.json<{ organisations: { id: string; mode: string }[] }>(
      ...['organisations', 'create', 'Acme'],
    );
    id = created.organisations.find(({ mode }) => mode === 'live')?.id ?? '';
    await admin.json('keys', 'issue', 'acme/test', '--name', 'CI');
    await admin.json('keys', 'issue', 'acme/live', '--name', 'Office', '--scopes', 'all');
  });

  it('finds nothing in a new installation', async () => {
    expect(await review()).toMatchObject({ code: 0, findings: [] });
  });

  it('finds what earlier versions allowed, with the command that mends it', async () => {
    const flags = { registeredSendersOnly: false, restrictedCallbacks: false, fairKeys: false };
    await fixture.database.organisation.update({ where: { id }, data: flags });
    const data = {
      id: newId(),
      organisationId: id,
      name: 'Old',
      prefix: 'sk_live_old',
      hash: Buffer.alloc(32),
    };
    await fixture.database.apiKey.create({ data: { ...data, scopes: [...keyScopes] } });
    allScopes = data.id;
    const url = 'http://example.com:25/';
    const events = ['message.received'];
    const endpoint = await anEndpoint(fixture.database, id, { url, events });
    const { code, findings } = await review({
      QUEUE_KEY: 'x',
      DATA_MASTER_KEY: 'new,old',
      BACKUP_KEY: '',
    });
    expect(code).toBe(1);
    expect(findings).toMatchObject([
      { check: 'backup_key', who: 'installation' },
      { check: 'earlier_keys', what: 'QUEUE_KEY is set here' },
      { check: 'earlier_keys', what: 'DATA_MASTER_KEY has an earlier key, too' },
      { check: 'key_scopes', who: 'Acme/live', what: expect.stringContaining('sk_live_old') },
      { check: 'senders', mend: expect.stringContaining('pnpm admin senders restrict Acme/live') },
      { check: 'callbacks', mend: 'pnpm admin callbacks restrict Acme/live' },
      { check: 'endpoint_urls', what: `endpoint ${endpoint} has the URL ${url}` },
      { check: 'endpoint_messages', what: `endpoint ${endpoint} (${url}) receives message.received` },
      { check: 'key_sharing', mend: 'pnpm admin keys share Acme/live fairly' },
    ]);
    const { code: exit, out } = await admin.run('security', 'review');
    expect(exit).toBe(1);
    expect(out).toContain('pnpm admin keys share Acme/live fairly');
  });

  it('finds less when that is mended', async () => {
    await admin.json('senders', 'restrict', 'acme/live');
    await admin.json('keys', 'share', 'acme/live', 'fairly');
    const asked = await admin.run('callbacks', 'restrict', 'acme/live');
    expect(asked).toMatchObject({ code: 1, err: expect.stringContaining('http://example.com:25/') });
    await admin.json('callbacks', 'restrict', 'acme/live', '--yes');
    const narrowed = await admin.run('keys', 'scopes', allScopes, 'sms');
    expect(narrowed).toMatchObject({ code: 1, err: expect.stringContaining('would lose otp:read') });
    await admin.json('keys', 'scopes', allScopes, 'sms', '--yes');
    await fixture.database.callbackEndpoint.updateMany({
      data: { url: 'https://example.com/', messagesConfirmed: true },
    });
    expect(await review()).toMatchObject({ code: 0, findings: [] });
    expect(await admin.json('organisations', 'show', 'acme/live')).toMatchObject({
      registered_senders_only: true,
      restricted_callbacks: true,
      fair_keys: true,
    });
  });

  it('accepts all scopes if they were named, also of a successor', async () => {
    expect(await admin.json('keys', 'scopes', allScopes, 'all')).toMatchObject({ scopes: ['all'] });
    await admin.json('keys', 'rotate', allScopes);
    expect((await review()).findings).toEqual([]);
  });

  it('finds that no amount needs an approval, and a limit that has no effect', async () => {
    await fixture.database.execute(sql`UPDATE approval_setting SET limit_kobo = NULL`);
    expect((await review({ APPROVAL_ABOVE_NAIRA: '500000' })).findings).toMatchObject([
      { check: 'approval_limit', mend: 'pnpm admin approvals limit <naira>' },
      { check: 'earlier_limit', what: 'APPROVAL_ABOVE_NAIRA=500000 is set here' },
    ]);
    await fixture.database.execute(sql`UPDATE approval_setting SET limit_kobo = 0`);
    expect((await review()).findings).toEqual([]);
  });

  it('finds that it connects as the owner of the tables', async () => {
    const findings = await fixture.owner(environment).run('security', 'review', '--json');
    expect(JSON.parse(findings.out)).toMatchObject([
      { check: 'login', what: expect.stringContaining('can act as the owner of the tables') },
    ]);
  });

  it('names an organisation by its id in commands if its name means something to a shell', async () => {
    const created = await admin.json<{ organisations: { id: string; mode: string }[] }>(
      ...['organisations', 'create', '$(reboot) Ltd'],
    );
    const live = created.organisations.find(({ mode }) => mode === 'live')?.id ?? '';
    await admin.json('keys', 'share', live, 'freely');
    expect((await review()).findings).toMatchObject([{ mend: `pnpm admin keys share ${live} fairly` }]);
  });

  it('finds that there is only one operator', async () => {
    await fixture.owner().json('operators', 'remove', 'ada', '--yes');
    expect((await review()).findings).toContainEqual(
      expect.objectContaining({ check: 'operators', what: 'there is only one operator' }),
    );
  });
});
