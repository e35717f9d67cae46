import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createAccount, sql } from '@gangan/database';
import { newId } from '@gangan/protocol';
import { masterSealer } from '@gangan/sealing';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { dataKey } from '../support/admin-cli.js';
import { AdminFixture } from '../support/admin-fixture.js';

const vtpass = ['--kind', 'vtpass', ...['api_key', 'public_key', 'secret_key'].flatMap(secretOf)];
const reloadly = ['--kind', 'reloadly', ...['client_id', 'client_secret'].flatMap(secretOf)];

function secretOf(name: string): string[] {
  return ['--secret', `${name}=A_SECRET`];
}

describe('providers and routes of airtime', () => {
  const fixture = AdminFixture.use();
  const admin = fixture.cli({ A_SECRET: 'a-long-secret-value', OTHER_SECRET: 'another-secret-value' });
  beforeAll(async () => {
    await createAccount(fixture.database, masterSealer([dataKey]), { name: 'Acme', sender: 'Acme' });
  });
  beforeEach(async () => {
    await fixture.database.execute(sql`TRUNCATE provider, airtime_route CASCADE`);
  });

  it('are added by their kind, and refused with all faults at once', async () => {
    const added = await admin.json('providers', 'add', 'vtpass', ...vtpass, '--set', 'credit.warnBelow=5000');
    expect(added).toMatchObject({ domain: 'airtime', kind: 'vtpass', channels: [] });
    await admin.json('providers', 'add', 'reloadly', ...reloadly);
    expect(await admin.json('providers', 'list')).toMatchObject([{ name: 'reloadly' }, { name: 'vtpass' }]);
    const { code, err } = await admin.run(
      ...['providers', 'add', 'bad', '--kind', 'vtpass', ...secretOf('api_key'), ...secretOf('key')],
      ...[
        '--set',
        'url=http://vtpass.example',
        '--set',
        'services.Vodafone=x',
        '--set',
        'credit.warnBelow=much',
      ],
    );
    expect(code).toBe(1);
    for (const fault of [
      ...['the secret public_key is not given', 'the secret secret_key is not given'],
      ...['the secret key is given, but is not used', 'settings.url must begin with https://'],
      ...['settings.services.Vodafone is not a network', 'settings.credit.warnBelow is not an amount'],
    ])
      expect(err).toContain(fault);
    expect((await admin.run('providers', 'test', 'vtpass', '08031234567')).err).toContain(
      'would buy airtime',
    );
  });

  it('are routed by network and organisation, and audited', async () => {
    await admin.json('providers', 'add', 'vtpass', ...vtpass);
    await admin.json('providers', 'add', 'reloadly', ...reloadly);
    expect(await admin.json('airtime', 'routes')).toEqual([]);
    await admin.json('airtime', 'route', 'vtpass');
    await admin.json('airtime', 'route', 'reloadly', 'vtpass', '--network', 'MTN');
    await admin.json('airtime', 'route', 'vtpass', 'reloadly', '--network', 'MTN');
    await admin.json('airtime', 'route', 'reloadly', '--organisation', 'acme/live');
    expect(await admin.json<object[]>('airtime', 'routes')).toEqual(
      expect.arrayContaining([
        { organisation: 'any', network: 'any', providers: 'vtpass' },
        { organisation: 'any', network: 'MTN', providers: 'vtpass then reloadly' },
        { organisation: 'Acme/live', network: 'any', providers: 'reloadly' },
      ]),
    );
    expect((await admin.run('airtime', 'route', 'unknown')).err).toContain(
      'There is no airtime provider unknown',
    );
    expect((await admin.run('airtime', 'route', 'vtpass', 'vtpass')).err).toContain('named twice');
    expect((await admin.run('providers', 'remove', 'vtpass', '--yes')).err).toContain('is used by 2 routes');
    expect((await admin.run('routes', 'add', 'vtpass')).err).toContain('has no channel sms');
    await admin.json('airtime', 'unroute', '--network', 'MTN', '--yes');
    expect((await admin.run('airtime', 'unroute', '--network', 'MTN', '--yes')).code).toBe(1);
    expect(await admin.json('audit', '--action', 'airtime unroute')).toMatchObject([
      { before: { providers: ['vtpass', 'reloadly'] } },
    ]);
  });

  it('have products, which are synchronised on request and removed with the provider', async () => {
    await admin.json('providers', 'add', 'vtpass', ...vtpass);
    expect(await admin.json('airtime', 'products')).toEqual([]);
    const [sold, gone] = [newId(), newId()];
    await fixture.database.execute(sql`
      INSERT INTO airtime_product (id, provider, network, code, price_kobo, name, active, synced_at)
      VALUES (${sold}, 'vtpass', 'MTN', 'mtn-1gb', 100050, '1GB', true, now()),
        (${gone}, 'vtpass', 'Glo', 'glo-1gb', 90000, '1GB', false, now())`);
    expect(await admin.json('airtime', 'products', '--provider', 'vtpass')).toEqual([
      {
        id: sold,
        provider: 'vtpass',
        network: 'MTN',
        code: 'mtn-1gb',
        name: '1GB',
        naira: 1000.5,
        sold: true,
        listed: expect.any(String),
      },
    ]);
    expect(await admin.json('airtime', 'products', '--network', 'Glo', '--all')).toMatchObject([
      { id: gone, sold: false },
    ]);

    await admin.json('airtime', 'sync', 'vtpass');
    const isDue = async () =>
      (await fixture.database.airtimeCatalogue.findMany()).map(({ dueAt }) => dueAt <= new Date());
    expect(await isDue()).toEqual([true]);
    await fixture.database.execute(sql`UPDATE airtime_catalogue SET due_at = now() + interval '1 hour'`);
    await admin.json('providers', 'set', 'vtpass', '--secret', 'api_key=OTHER_SECRET');
    expect(await isDue()).toEqual([]);
    expect(await admin.json('airtime', 'products')).toEqual([]);
    expect((await admin.run('airtime', 'sync', 'unknown')).err).toContain(
      'There is no airtime provider unknown',
    );
    await admin.json(
      ...['providers', 'add', 'talking', '--kind', 'africastalking', ...secretOf('api_key')],
      ...['--set', 'username=acme'],
    );
    expect((await admin.run('airtime', 'sync', 'talking')).err).toContain('list no data bundles');
    await admin.json('providers', 'disable', 'vtpass');
    expect((await admin.run('airtime', 'sync', 'vtpass')).err).toContain('is disabled');

    await admin.json('providers', 'remove', 'vtpass', '--yes');
    expect(await admin.json('airtime', 'products')).toEqual([]);
    expect(await fixture.database.airtimeCatalogue.count()).toBe(0);
  });

  it('are applied from a file, and nothing changes the second time', async () => {
    const file = join(await fixture.folder(), 'providers.yaml');
    const apply = async (text: string) => {
      await writeFile(file, text);
      return admin.run('providers', 'apply', file, '--yes');
    };
    const secrets = (...names: string[]) => names.map((name) => `${name}: '\${A_SECRET}'`).join(', ');
    const routes = `airtimeRoutes:
  - { to: [vtpass, reloadly] }
  - { to: [reloadly], network: NTEL }
  - { to: [reloadly], organisation: acme/live, network: MTN }
`;
    const whole = `providers:
  - { name: vtpass, kind: vtpass, secrets: { ${secrets('api_key', 'public_key', 'secret_key')} } }
  - { name: reloadly, kind: reloadly, secrets: { ${secrets('client_id', 'client_secret')} } }
${routes}`;
    const { code, err } = await apply(whole);
    expect({ code, err }).toMatchObject({ code: 0 });
    expect(err).toContain('airtime for any network of any organisation: (no route) → vtpass then reloadly');
    expect((await apply(whole)).out).toContain('nothing was changed');
    const changed = await apply(routes.replace('[vtpass, reloadly]', '[reloadly, vtpass]'));
    expect(changed.err).toContain('vtpass then reloadly → reloadly then vtpass');
    expect(changed.out).toContain('Applied: airtime for any network of any organisation.');
    expect(await admin.json<object[]>('airtime', 'routes')).toEqual(
      expect.arrayContaining([
        { organisation: 'any', network: 'any', providers: 'reloadly then vtpass' },
        { organisation: 'Acme/live', network: 'MTN', providers: 'reloadly' },
      ]),
    );
    const faulty = await apply('airtimeRoutes:\n  - { to: [], network: Vodafone, country: NG }\n');
    for (const fault of [
      'airtime route 1: to must be',
      'network must be one of',
      'there is no field country',
    ])
      expect(faulty.err).toContain(fault);
    const twice = await apply('airtimeRoutes:\n  - { to: [vtpass] }\n  - { to: [reloadly] }\n');
    expect(twice.err).toContain('airtime route 2: another route has the same conditions');
    expect((await apply('airtimeRoutes:\n  - { to: [unknown] }\n')).err).toContain(
      'no airtime provider unknown',
    );
  });

  it('keep their account while a purchase waits for its outcome', async () => {
    await admin.json('providers', 'add', 'vtpass', ...vtpass);
    const { id: organisationId } = await fixture.database.organisation.findFirstOrThrow();
    const id = newId();
    await fixture.database.execute(sql`
      INSERT INTO airtime_purchase (id, organisation_id, network, recipient, recipient_given, amount_kobo,
        balance_before_kobo, next_attempt_at, submitted_at, provider, request_id)
      VALUES (${id}, ${organisationId}, 'MTN', '+2348031234567', '08031234567', 9950, 10000, now(), now(), 'vtpass', 'r')`);
    const moveTo = (state: string): Promise<number> =>
      fixture.database.execute(sql`
        UPDATE airtime_purchase SET state = ${state}::airtime_state,
          next_attempt_at = CASE WHEN ${state} IN ('submitting', 'sent') THEN now() END
        WHERE id = ${id}`);
    const changes = [
      ['set', 'vtpass', '--set', 'url=https://sandbox.vtpass.com/api'],
      ['set', 'vtpass', '--secret', 'api_key=OTHER_SECRET'],
      ['remove', 'vtpass', '--yes'],
    ];
    for (const state of ['submitting', 'sent', 'error']) {
      await moveTo(state);
      for (const change of changes) {
        const { code, err } = await admin.run('providers', ...change);
        expect({ change, code, err }).toEqual({
          change,
          code: 1,
          err: expect.stringContaining('vtpass has 1 airtime purchase without an outcome'),
        });
      }
    }
    await admin.json('providers', 'set', 'vtpass', '--set', 'credit.warnBelow=5000');
    await admin.json('providers', 'disable', 'vtpass');
    await moveTo('failed');
    for (const change of changes) await admin.json('providers', ...change);
  });
});
