import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createAccount, sql } from '@gangan/database';
import { newId } from '@gangan/protocol';
import { masterSealer, newSealingKey } from '@gangan/sealing';
import { CallbackConsumer, FakeProvider, FakeTermii, fakeTwilio } from '@gangan/testing';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { dataKey } from '../support/admin-cli.js';
import { AdminFixture } from '../support/admin-fixture.js';

const apiKey = 'TLsecretKeyOfTheAccount';
const fromPreset = ['--preset', 'termii', '--secret', 'api_key=TERMII_API_KEY'];

describe('providers and routes', () => {
  const fixture = AdminFixture.use();
  const admin = fixture.cli({ TERMII_API_KEY: apiKey });

  beforeAll(async () => {
    await createAccount(fixture.database, masterSealer([dataKey]), { name: 'Acme', sender: 'Acme' });
  });
  beforeEach(async () => {
    await fixture.database.execute(sql`TRUNCATE provider, route CASCADE`);
  });

  const auditText = async () => JSON.stringify(await admin.json('audit'));

  it('are added from a preset, changed and removed; every change is audited, without secrets', async () => {
    await admin.json('providers', 'add', 'termii', ...fromPreset, '--rate', '50');
    expect(await admin.json('providers', 'set', 'termii', '--set', 'request.json.channel=generic')).toEqual({
      name: 'termii',
      changes: ['settings.request.json.channel: "dnd" → "generic"'],
    });
    await admin.json('providers', 'disable', 'termii');
    expect(await admin.json('providers', 'disable', 'termii')).toMatchObject({ changes: [] });
    const shown = await admin.json('providers', 'show', 'termii');
    expect(shown).toMatchObject({ name: 'termii', enabled: false, rate: 50, secrets: ['api_key'] });
    expect(await admin.json<object[]>('providers', 'list')).toMatchObject([
      { owner: 'installation', kind: 'http' },
    ]);
    await admin.json('providers', 'set', 'termii', '--rate', 'default');
    await admin.json('providers', 'remove', 'termii', '--yes');
    expect(await admin.json('providers', 'list')).toEqual([]);

    const entries = await admin.json<{ action: string; target: string }[]>('audit', '--action', 'providers');
    expect(entries.map(({ action }) => action)).toEqual([
      'providers remove',
      'providers set',
      'providers disable',
      'providers set',
      'providers add',
    ]);
    expect(JSON.stringify(shown) + (await auditText())).not.toContain(apiKey);
  });

  it('are shown with what customers pay and what they cost, and the command that sets a price', async () => {
    const cost = ['--set', 'cost.currency=NGN', '--set', 'cost.perPart.NG=2.5'];
    const add = (name: string, ...options: string[]) =>
      admin.run('providers', 'add', name, ...fromPreset, ...cost, ...options);
    const first = await add('first', '--set', 'cost.perPart.any=12');
    expect(first.out).toMatch(/sms +any +no price +NGN 12\nsms +NG +no price +NGN 2.5\n/);
    expect(first.out).toContain('Set a price with `pnpm admin prices set sms any <naira>`.');
    await admin.json('prices', 'set', 'sms', '234', '4');
    await admin.json('prices', 'set', 'sms', '234803', '3', '--category', 'otp');
    await admin.json('prices', 'set', 'sms', '44', '30', '--organisation', 'acme/live');
    const second = await add('second', '--json');
    expect((JSON.parse(second.out) as { prices: object[] }).prices).toEqual([
      { service: 'sms', to: '234', price: 4, cost: 'NGN 2.5' },
      { service: 'sms', to: '234803', category: 'otp', price: 3, cost: 'NGN 2.5' },
    ]);
    const own = await add('own', '--organisation', 'acme/live');
    expect(own.out).toMatch(/sms +44 +NGN 30.00 +not known\n/);
    expect(own.out).toContain('pnpm admin prices set sms 234 <naira> --organisation Acme/live');
    const whatsApp = await admin.run(
      ...[
        'providers',
        'add',
        'whatsapp',
        '--kind',
        'whatsapp',
        '--set',
        'phoneNumberId=1',
        '--set',
        'cost.currency=USD',
      ],
      ...['--set', 'cost.perPart.NG.marketing=0.05', '--set', 'cost.perPart.NG.utility=0.006'],
      ...['access_token', 'app_secret', 'verify_token'].flatMap((name) => [
        '--secret',
        `${name}=TERMII_API_KEY`,
      ]),
    );
    expect(whatsApp.out).toMatch(/whatsapp +NG +no price +USD marketing 0.05, utility 0.006\n/);
    expect(whatsApp.out).toContain('`pnpm admin prices set whatsapp 234 <naira>`');
    await admin.json('prices', 'remove', 'sms', '234', '--yes');
    await admin.json('prices', 'remove', 'sms', '234803', '--category', 'otp', '--yes');
    await admin.json('prices', 'remove', 'sms', '44', '--organisation', 'acme/live', '--yes');
  });

  it.each([
    [
      'airtime',
      [
        '--kind',
        'vtpass',
        ...['api_key', 'public_key', 'secret_key'].flatMap((name) => ['--secret', `${name}=TERMII_API_KEY`]),
      ],
      /^(?!.*prices set).*Customers pay the amount that they buy\. .* `commission` /s,
    ],
    [
      'lookup',
      [
        '--preset',
        'hlr-lookups',
        '--secret',
        'api_key=TERMII_API_KEY',
        '--secret',
        'api_secret=TERMII_API_KEY',
      ],
      /Lookups without a price are free\. .* prices set lookup 234 <naira>/,
    ],
  ])('of %s are shown with their prices', async (name, options, text) => {
    const { out, err } = await admin.run('providers', 'add', name, ...options);
    expect([err.includes('cannot'), out]).toEqual([false, expect.stringMatching(text)]);
  });

  it('are refused with all faults at once, and without quoting secrets', async () => {
    const { code, err } = await admin.run(
      ...['providers', 'add', 'bad', '--preset', 'termii', '--secret', 'apikey=TERMII_API_KEY'],
      ...['--set', 'request.method=PATCH', '--set', 'timeoutMs=1'],
    );
    expect(code).toBe(1);
    expect(err).toContain(
      'settings.request.method must be equal to one of the allowed values: GET, POST, PUT',
    );
    expect(err).toContain('settings.timeoutMs must be >= 100');
    const missing = await admin.run(
      'providers',
      'add',
      'bad',
      '--preset',
      'termii',
      '--secret',
      'apikey=TERMII_API_KEY',
    );
    expect(missing.err).toContain('the secret api_key is not given');
    expect(missing.err).toContain('the secret apikey is given, but');
    expect(err + missing.err).not.toContain(apiKey);
    const absent = await admin.run(
      'providers',
      'add',
      'bad',
      '--preset',
      'termii',
      '--secret',
      'api_key=NOT_SET',
    );
    expect(absent.err).toContain('The variable NOT_SET');
    for (const name of ['simulator', 'UPPER', '9', 'a_b'])
      expect((await admin.run('providers', 'add', name, ...fromPreset)).err).toContain(
        'the name has 1 to 32',
      );
  });

  it('from a preset need the values that an operator must replace', async () => {
    const add = [
      'providers',
      'add',
      'at',
      '--preset',
      'africastalking',
      '--secret',
      'api_key=TERMII_API_KEY',
    ];
    expect((await admin.run(...add)).err).toContain('{your_username}: replace it with your own value');
    await admin.json(...add, '--set', 'request.form.username=acme');
    expect(await admin.json('providers', 'presets')).toContainEqual(
      expect.objectContaining({ name: 'twilio', secrets: ['account_sid', 'auth_token'] }),
    );
  });

  it('keep their secrets sealed, and `secrets reseal` covers them', async () => {
    await admin.json('providers', 'add', 'termii', ...fromPreset);
    await admin.json('providers', 'add', 'own', ...fromPreset, '--organisation', 'acme/live');
    const [{ text } = { text: '' }] = await fixture.database.query<{ text: string }>(
      sql`SELECT string_agg(provider::text, '') AS text FROM provider`,
    );
    expect(text).toContain('api_key');
    for (const form of [apiKey, Buffer.from(apiKey).toString('hex')]) expect(text).not.toContain(form);
    const newer = newSealingKey();
    const rows = await fixture
      .cli({ DATA_MASTER_KEY: `${newer},${dataKey}` })
      .json<object[]>('secrets', 'reseal');
    expect(rows).toContainEqual({
      stored: 'provider.sealed_secrets',
      checked: 2,
      resealed: 2,
      skipped: 0,
      damaged: 0,
    });
    const later = fixture.cli({ DATA_MASTER_KEY: newer });
    for (const name of ['termii', 'own'])
      expect(await later.json('providers', 'show', name)).toMatchObject({ secrets: ['api_key'] });
    expect(await admin.json('providers', 'show', 'termii')).toMatchObject({ secrets: 'cannot be opened' });
  });

  it('are listed with their health, and resumed by hand', async () => {
    const limits = ['--rate', '50', '--registered-senders', 'no'];
    await admin.json('providers', 'add', 'termii', ...fromPreset, ...limits);
    expect(await admin.json('providers', 'list')).toMatchObject([{ state: 'up', rate: 50, submitted: 0 }]);
    expect((await admin.run('providers', 'resume', 'termii')).err).toContain(
      'neither paused nor open, and did not ask us to wait',
    );
    await fixture.database.execute(sql`
      INSERT INTO provider_health (provider_id, state, test_at, failures, error_code, error_at, slowed_rate, slowed_at,
        submitted, not_accepted, submitted_before, not_accepted_before, credit_micros, credit_currency, credit_at)
      SELECT id, 'paused', now() + interval '1 hour', 3, 'account', now(), 10, now(), 30, 3, 10, 1, 1047570000, 'NGN',
        now() FROM provider`);
    const [listed] = await admin.json<{ rate: number }[]>('providers', 'list');
    expect(listed).toMatchObject({
      state: 'paused',
      submitted: 40,
      not_accepted: '10.0 %',
      last_error: 'account',
      credit: 'NGN 1047.57',
    });
    expect(listed?.rate).toBeLessThan(50);
    await admin.json('routes', 'add', 'termii');
    expect(await admin.json('routes', 'explain', 'acme/live', '08031234567')).toMatchObject({
      decision: 'termii',
      passed_over: ['termii: it refuses our account, and is tested from time to time.'],
    });
    await admin.json('providers', 'resume', 'termii');
    expect(await admin.json('providers', 'list')).toMatchObject([{ state: 'up', last_error: 'account' }]);
    expect(await admin.json('audit', '--action', 'providers resume')).toMatchObject([
      { target: 'termii', before: { state: 'paused' }, after: { state: 'up' } },
    ]);
    await admin.json('providers', 'set', 'termii', '--set', 'request.json.channel=generic');
    expect(await fixture.database.providerHealth.count()).toBe(0);
  });

  it('are applied from a file with their routes', async () => {
    const folder = await fixture.folder();
    const file = join(folder, 'providers.yaml');
    const apply = () => admin.run('providers', 'apply', file, '--yes');
    const providers = ['one', 'two', 'backup']
      .map((name) => `  - { name: ${name}, preset: termii, secrets: { api_key: '\${TERMII_API_KEY}' } }\n`)
      .join('');
    const routes = `routes:
  - { to: ['two:20,one:80', backup], country: NG }
  - { to: [one], operator: 9mobile }
  - { to: [two], category: promotional, organisation: acme/live, prefix: '234803' }
`;
    await writeFile(file, `providers:\n${providers}${routes}`);
    const { err, code } = await apply();
    expect(code).toBe(0);
    expect(err).toContain('sms to NG of any organisation: (no route) → two:20,one:80 then backup');
    expect(err).toContain('promotional sms to 234803 of acme/live: (no route) → two');
    expect(err).toContain('sms to 9mobile of any organisation: (no route) → one');
    expect((await apply()).out).toContain('nothing was changed');
    const [added] = await admin.json<object[]>('audit', '--action', 'providers apply');
    expect(added).toMatchObject({ after: { providers: 'two' } });
    await writeFile(file, routes.replace('[two]', '[two, one]'));
    expect((await apply()).err).toContain('promotional sms to 234803 of acme/live: two → two then one');
    expect(await admin.json<object[]>('routes', 'list')).toMatchObject([
      { category: 'promotional', providers: 'two then one' },
      { operator: '9mobile' },
      { country: 'NG' },
    ]);
    await writeFile(
      file,
      `routes:\n  - { to: [none:0], prefix: 234, country: NG, colour: red, operator: Etisalat }\n  - {}\n`,
    );
    const faulty = await apply();
    expect(faulty.code).toBe(1);
    for (const fault of [
      'there is no field colour',
      'prefix must be digits in quotes',
      'operator must be one of Airtel, MTN, Glo, 9mobile, NTEL',
      'route 2: to must be',
    ])
      expect(faulty.err).toContain(fault);
    await writeFile(file, 'routes:\n  - { to: [unknown] }\n');
    expect((await apply()).err).toContain('there is no provider unknown');
  });

  it('are applied from a file; applying it twice changes nothing', async () => {
    const folder = await fixture.folder();
    const file = join(folder, 'providers.yaml');
    const apply = (...options: string[]) => admin.run('providers', 'apply', file, ...options);
    const yaml = `providers:
  - name: termii
    preset: termii
    secrets: { api_key: '\${TERMII_API_KEY}' }
    settings: { request: { json: { channel: generic } } }
  - name: plain
    organisation: acme/live
    channels: [sms]
    settings:
      request: { url: 'https://sms.example/', form: { to: '{recipient}', text: '{text}' } }
      answer: { code: { match: '^(\\w+)' }, accepted: [OK] }
    window: 5
`;
    await writeFile(file, yaml);
    const asked = await apply();
    expect(asked.code).toBe(1);
    expect(asked.err).toContain('termii: added\nplain: added');
    expect(await admin.json('providers', 'list')).toEqual([]);
    expect(await apply('--yes')).toMatchObject({ code: 0, out: 'Applied: termii, plain.\n' });
    expect(await apply()).toMatchObject({
      code: 0,
      out: expect.stringContaining('nothing was changed'),
    });

    await writeFile(file, yaml.replace('window: 5', 'window: 6'));
    const changed = await fixture
      .cli({ TERMII_API_KEY: 'another-key' })
      .run('providers', 'apply', file, '--yes');
    expect(changed.err).toMatch(
      /^termii: secrets\.api_key: changed\nplain: window: 5 → 6\n(?:Database: .+\n)?$/,
    );
    expect(changed.err + (await auditText())).not.toContain('another-key');

    await writeFile(file, yaml.replace('window: 5', 'windw: 5').replace('{text}', '{txt}'));
    const faulty = await fixture.cli().run('providers', 'apply', file, '--yes');
    expect(faulty.err).toContain('termii: the variable TERMII_API_KEY is empty');
    expect(faulty.err).toContain('plain: there is no field windw');
    expect(faulty.err).toContain('{txt}');
  });

  it('are tested with one message, whose request and answer are shown without secrets', async () => {
    const server = await FakeTermii.start(apiKey);
    try {
      const url = ['--set', `request.url=${server.url}`];
      await admin.json('providers', 'add', 'termii', ...fromPreset, ...url, '--set', 'allowPrivate=true');
      const call = ['providers', 'test', 'termii', '08031234567', '--sender', 'Acme', '--yes'];
      const tested = await admin.json(...call);
      expect(tested).toMatchObject({ outcome: 'accepted', answer_status: 200 });
      expect(JSON.stringify(tested)).not.toContain(apiKey);
      expect(await admin.json('audit', '--action', 'providers test')).toMatchObject([{ target: 'termii' }]);
      expect(server.sent).toMatchObject([{ to: '2348031234567', from: 'Acme' }]);
      server.behaviour = () => ({ status: 400, message: 'Insufficient balance' });
      expect(await admin.run(...call)).toMatchObject({
        code: 1,
        out: expect.stringContaining('Insufficient balance'),
      });
    } finally {
      await server.stop();
    }
  });

  it('are tested with an address for reports only if PUBLIC_URL is known; its token is not shown', async () => {
    const server = await FakeProvider.start(fakeTwilio(apiKey, apiKey));
    try {
      await admin.json(
        ...['providers', 'add', 'twilio', '--preset', 'twilio', '--set', `request.url=${server.url}`],
        ...['--set', 'allowPrivate=true', '--secret', 'account_sid=TERMII_API_KEY'],
        ...['--secret', 'auth_token=TERMII_API_KEY'],
      );
      const test = ['providers', 'test', 'twilio', '08031234567', '--sender', 'Acme', '--yes'];
      const { code, err } = await admin.run(...test);
      expect([code, err]).toEqual([1, expect.stringContaining('PUBLIC_URL is not set: set PUBLIC_URL')]);
      expect(server.requests).toBe(0);
      const own = fixture.cli({ TERMII_API_KEY: apiKey, PUBLIC_URL: 'https://sms.example' });
      const old = [
        '--set',
        'request.form.StatusCallback={secret.report_url}',
        '--secret',
        'report_url=TERMII_API_KEY',
      ];
      await admin.json('providers', 'set', 'twilio', ...old);
      const { changes } = await admin.json<{ changes: string[] }>(
        ...['providers', 'set', 'twilio', '--set', 'request.form.StatusCallback={report_url}'],
        ...['--unset-secret', 'report_url'],
      );
      expect(changes).toContain('secrets.report_url: removed');
      const shown = JSON.stringify(await own.json(...test));
      const { path } = await own.json<{ path: string }>('providers', 'inbound-url', 'twilio');
      expect(server.sent[0]?.reportUrl).toMatch(`https://sms.example${path}/`);
      expect(shown).toContain('in%2Ftwilio%2F***%2F');
      expect(shown).not.toContain(path.split('/').at(-1));
    } finally {
      await server.stop();
    }
  });

  it('of the domain lookup are tested with one number, and cannot be routed', async () => {
    const server = await CallbackConsumer.start((_, response) => {
      response.end(`{"network":"MTN","echo":"${apiKey}","roaming":false}`);
    });
    try {
      const set = (...settings: string[]) => settings.flatMap((setting) => ['--set', setting]);
      const add = [
        ...['providers', 'add', 'hlr', '--domain', 'lookup', '--secret', 'key=TERMII_API_KEY'],
        ...set('request.method=GET', `request.url=http://127.0.0.1:${server.port}/{phone_digits}`),
        ...set('request.bearer={secret.key}', 'finding.operator.pointer=/network', 'allowPrivate=true'),
        ...set('finding.roaming.pointer=/roaming'),
      ];
      const limited = await admin.run(...add, '--rate', '5');
      expect(limited.err).toContain('only for messages');
      await admin.json(...add);
      expect(await admin.json('providers', 'list')).toMatchObject([{ name: 'hlr', domain: 'lookup' }]);
      const { out, code } = await admin.run('providers', 'test', 'hlr', '08031234567', '--yes', '--json');
      expect(code).toBe(0);
      expect(JSON.parse(out)).toMatchObject({
        outcome: 'accepted',
        finding: { operator: 'MTN', roaming: false },
        request: `GET http://127.0.0.1:${server.port}/2348031234567`,
        answer_status: 200,
      });
      expect(server.seen[0]?.headers.authorization).toBe(`Bearer ${apiKey}`);
      expect(out).not.toContain(apiKey);
      expect((await admin.run('routes', 'add', 'hlr')).err).toContain('hlr has no channel sms');
      await admin.json('providers', 'add', 'termii', ...fromPreset);
      expect((await admin.run('providers', 'test', 'termii', '08031234567', '--yes')).err).toContain(
        '--sender',
      );
    } finally {
      await server.stop();
    }
  });

  it('are routed; the decision is explained', async () => {
    const anySender = [...fromPreset, '--registered-senders', 'no'];
    for (const name of ['one', 'two', 'backup']) await admin.json('providers', 'add', name, ...anySender);
    await admin.json('providers', 'add', 'own', ...anySender, '--organisation', 'acme/live');
    const explain = (...given: string[]) => admin.run('routes', 'explain', ...given, '--json');
    expect(await explain('acme/live', '08031234567')).toMatchObject({
      code: 1,
      out: expect.stringContaining('no route matches'),
    });
    await admin.json('routes', 'add', 'backup');
    await admin.json('routes', 'add', 'one:80,two:20', 'backup', '--country', 'ng');
    await admin.json('routes', 'add', 'own', '--category', 'otp', '--organisation', 'acme/live');
    expect(await admin.json('routes', 'list')).toEqual([
      { organisation: 'Acme/live', channel: 'sms', category: 'otp', providers: 'own' },
      { organisation: 'any', channel: 'sms', country: 'NG', providers: 'one:80,two:20 then backup' },
      { organisation: 'any', channel: 'sms', providers: 'backup' },
    ]);
    const decisionOf = async (...given: string[]) =>
      (await admin.json<{ decision: string }>('routes', 'explain', ...given)).decision;
    expect(await decisionOf('acme/live', '08031234567')).toBe('one:80,two:20 then backup');
    expect(await decisionOf('acme/live', '08031234567', '--category', 'otp')).toBe('own');
    expect(await decisionOf('acme/live', '+447911123456')).toBe('backup');
    expect(await decisionOf('acme/test', '08031234567')).toBe('simulator');
    await admin.json('providers', 'disable', 'two');
    expect(await admin.json('routes', 'explain', 'acme/live', '08031234567')).toMatchObject({
      decision: 'one then backup',
      left_out: ['two: it is disabled.'],
    });
  });

  it('are routed by operator, which the registry has for a ported number', async () => {
    for (const name of ['direct', 'other'])
      await admin.json('providers', 'add', name, ...fromPreset, '--registered-senders', 'no');
    await admin.json('routes', 'add', 'other');
    await admin.json('routes', 'add', 'direct', 'other', '--operator', 'MTN');
    const importId = newId();
    await fixture.database.registryImport.create({
      data: { id: importId, registry: 'ported', mode: 'replace', state: 'active', source: 'test' },
    });
    const ported = { phone: '+2348031234568', importId, operator: 'Airtel' };
    await fixture.database.portedNumber.create({ data: ported });
    const explain = (phone: string) => admin.json('routes', 'explain', 'acme/live', phone);
    expect(await explain('08031234567')).toMatchObject({
      operator: 'MTN',
      decision: 'direct then other',
      why: 'the most specific route that matches: sms to MTN of any organisation',
    });
    expect(await explain('08031234568')).toMatchObject({
      operator: 'Airtel',
      ported_to: 'Airtel',
      decision: 'other',
    });
    expect(await explain('+447911123456')).not.toHaveProperty('operator');
    expect(await admin.json('routes', 'list')).toEqual([
      { organisation: 'any', channel: 'sms', operator: 'MTN', providers: 'direct then other' },
      { organisation: 'any', channel: 'sms', providers: 'other' },
    ]);
    const unknown = await admin.run('routes', 'add', 'other', '--operator', 'mtn');
    expect([unknown.code, unknown.err]).toEqual([
      2,
      expect.stringContaining('Allowed choices are Airtel, MTN, Glo, 9mobile, NTEL'),
    ]);
    await admin.json('routes', 'remove', '--operator', 'MTN', '--yes');
    expect(await explain('08031234567')).toMatchObject({ decision: 'other' });
  });

  it('are named once in a route, and cannot be removed while it exists', async () => {
    await admin.json('providers', 'add', 'termii', ...fromPreset);
    await admin.json('providers', 'add', 'own', ...fromPreset, '--organisation', 'acme/live');
    const faulty = await admin.run('routes', 'add', 'gone', 'own');
    expect(faulty.err).toContain('there is no provider gone; own belongs to an organisation');
    expect((await admin.run('routes', 'add', 'termii,termii')).code).toBe(2);
    expect((await admin.run('routes', 'add', 'termii:0')).code).toBe(2);
    await admin.json('routes', 'add', 'termii', '--prefix', '+234803');
    const again = await admin.run('routes', 'add', 'termii', '--prefix', '234803');
    expect([again.code, again.err]).toEqual([1, expect.stringContaining('Replace the route to termii?')]);
    expect((await admin.run('providers', 'remove', 'termii', '--yes')).err).toContain('is used by a route');
    await admin.json('routes', 'remove', '--prefix', '234803', '--yes');
    expect((await admin.run('routes', 'remove', '--prefix', '234803', '--yes')).code).toBe(1);
    await admin.json('providers', 'remove', 'termii', '--yes');
    const actions = await admin.json<{ target: string }[]>('audit', '--action', 'routes');
    expect(actions[0]).toMatchObject({
      action: 'routes remove',
      target: 'sms to 234803 of any organisation',
    });
  });
});
