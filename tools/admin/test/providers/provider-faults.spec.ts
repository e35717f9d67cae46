import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createAccount, sql } from '@gangan/database';
import { masterSealer, newSealingKey } from '@gangan/sealing';
import { until } from '@gangan/testing';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { dataKey } from '../support/admin-cli.js';
import { AdminFixture } from '../support/admin-fixture.js';

const fromPreset = ['--preset', 'termii', '--secret', 'api_key=TERMII_API_KEY'];

describe('faulty providers', () => {
  const fixture = AdminFixture.use();
  const admin = fixture.cli({
    TERMII_API_KEY: 'TLsecretKeyOfTheAccount',
    TOKEN: 'plainSecretToken',
    SHORT: '1234567',
  });
  let folder: string;

  beforeAll(async () => {
    await createAccount(fixture.database, masterSealer([dataKey]), { name: 'Acme', sender: 'Acme' });
    folder = await fixture.folder();
  });
  beforeEach(async () => {
    await fixture.database.execute(sql`TRUNCATE provider, route CASCADE`);
  });

  const apply = async (yaml: string) => {
    const file = join(folder, 'providers.yaml');
    await writeFile(file, yaml);
    return admin.run('providers', 'apply', file, '--yes');
  };

  /** Runs a command while another transaction holds the lock of providers and makes a change. */
  const runDuring = async (change: ReturnType<typeof sql>, ...command: string[]) => {
    let running: Promise<{ code: number | null; err: string }> | undefined;
    await fixture.database.$transaction(async (models) => {
      await models.$executeRaw`LOCK TABLE provider IN SHARE ROW EXCLUSIVE MODE`;
      running = admin.run(...command);
      await until('the command waits for the lock', async () => {
        const [waiting] = await fixture.database.query(sql`
          SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'provider'::regclass`);
        return waiting;
      });
      await models.$executeRaw(change);
    });
    return running;
  };

  it('are refused if a secret is in the settings, and leave no trace of it', async () => {
    for (const setting of [
      'request.bearer=plainSecretToken',
      'request.headers.Authorization=plainSecretToken',
    ]) {
      const { code, err } = await admin.run('providers', 'add', 'plain', ...fromPreset, '--set', setting);
      expect([code, err]).toEqual([1, expect.stringContaining('must contain {secret.NAME}')]);
    }
    const { err } = await apply(`providers:
  - name: plain
    preset: termii
    secrets: { api_key: '\${TERMII_API_KEY}' }
    settings: { request: { headers: { X-Token: '\${TOKEN}' } } }`);
    expect(err).toContain(
      'settings.request.headers.X-Token contains ${TOKEN}: variables are only for secrets',
    );
    expect(err + JSON.stringify(await admin.json('audit'))).not.toContain('plainSecretToken');
    expect(await admin.json('providers', 'list')).toEqual([]);
  });

  it('are refused if a secret is too short to be masked', async () => {
    const short = await admin.run(
      'providers',
      'add',
      'short',
      '--preset',
      'termii',
      '--secret',
      'api_key=SHORT',
    );
    expect(short.err).toContain('the secret api_key must have at least 8 characters');
  });

  it.each([
    ['enabled: yes', 'enabled must be true or false'],
    ['organisation:', 'organisation must be a text'],
    ["organisation: ''", 'organisation must be a text'],
    ['organisation: 7', 'organisation must be a text'],
    ['channels: sms', 'channels must be a list'],
    ['channels: [1]', 'channels must be a list'],
    ['preset: 7', 'preset must be one of africastalking'],
    ['settings: []', 'settings must be a map'],
    ['rate: fast', 'rate must be a number'],
    ['secrets:', 'secrets must be a map'],
    ['secrets: { api_key: 12345678 }', 'secrets must be a map of lower-case names to texts'],
    ['secrets: { API_KEY: abcdefgh }', 'secrets must be a map of lower-case names to texts'],
  ])('are not applied from a file with `%s`', async (line, fault) => {
    const { code, err } = await apply(`providers:\n  - name: bad\n    ${line}\n`);
    expect([code, err]).toEqual([1, expect.stringContaining(`bad: ${fault}`)]);
    expect(await admin.json('providers', 'list')).toEqual([]);
  });

  it('are all reported, even after an unknown organisation or preset', async () => {
    const { err } = await apply(`providers:
  - { name: one, preset: unknown }
  - { name: two, preset: termii, organisation: unknown/live }
  - { name: three, preset: termii, organisation: acme/test }
  - { preset: termii }`);
    for (const fault of [
      'one: preset must be one of africastalking',
      'two: There is no organisation unknown/live',
      'two: settings.request uses {secret.api_key}',
      'three: Acme/test always uses the simulator',
      'entry 4: the name has 1 to 32',
    ])
      expect(err).toContain(fault);
  });

  it('are refused for test organisations, which always use the simulator', async () => {
    const owned = await admin.run('providers', 'add', 'own', ...fromPreset, '--organisation', 'acme/test');
    expect([owned.code, owned.err]).toEqual([1, expect.stringContaining('always uses the simulator')]);
    await admin.json('providers', 'add', 'termii', ...fromPreset);
    const routed = await admin.run('routes', 'add', 'termii', '--organisation', 'acme/test');
    expect([routed.code, routed.err]).toEqual([1, expect.stringContaining('always uses the simulator')]);
  });

  it('are refused if a route could no longer use them', async () => {
    await admin.json('providers', 'add', 'termii', ...fromPreset);
    await admin.json('routes', 'add', 'termii');
    const entry = "providers: [{ name: termii, preset: termii, secrets: { api_key: '${TERMII_API_KEY}' }";
    const { code, err } = await apply(`${entry}, organisation: acme/live }]`);
    expect([code, err]).toEqual([1, expect.stringContaining('a route uses it, but it belongs to')]);
    await admin.json('routes', 'remove', '--yes');
    await admin.json('routes', 'add', 'termii', '--organisation', 'acme/live');
    expect(await apply(`${entry}, organisation: acme/live }]`)).toMatchObject({ code: 0 });
  });

  it('are refused with a pattern that RE2 does not run, and shown as unusable if they have one', async () => {
    const refused = await admin.run(
      'providers',
      'add',
      'new',
      ...fromPreset,
      '--set',
      'answer.code.match=(?=x)(y)',
    );
    expect([refused.code, refused.err]).toEqual([
      1,
      expect.stringContaining(
        'settings.answer.code.match cannot be used: invalid or unsupported Perl syntax',
      ),
    ]);
    await admin.json('providers', 'add', 'termii', ...fromPreset);
    await fixture.database.execute(sql`
      UPDATE provider SET settings = jsonb_set(settings, '{answer,code}', '{"match": "(a)\\\\1"}')`);
    expect(await admin.json('providers', 'list')).toMatchObject([{ name: 'termii', state: 'unusable' }]);
    expect(await admin.json('providers', 'show', 'termii')).toMatchObject({
      unusable_because: expect.stringContaining('settings.answer.code.match cannot be used'),
    });
    expect(await admin.run('providers', 'set', 'termii', '--rate', '5')).toMatchObject({ code: 1 });
    await admin.json('providers', 'set', 'termii', '--set', 'answer.code=/code');
    expect(await admin.json('providers', 'list')).toMatchObject([{ name: 'termii', state: 'up' }]);
  });

  it('can be shown, disabled, repaired and removed without the key of their secrets', async () => {
    for (const name of ['termii', 'other']) await admin.json('providers', 'add', name, ...fromPreset);
    const later = fixture.cli({ DATA_MASTER_KEY: newSealingKey(), TERMII_API_KEY: 'another-key' });
    const without = fixture.cli({ DATA_MASTER_KEY: '' });
    for (const cli of [later, without])
      expect(await cli.json('providers', 'show', 'termii')).toMatchObject({ secrets: 'cannot be opened' });
    expect(await without.json('providers', 'disable', 'termii')).toMatchObject({
      changes: ['enabled: true → false'],
    });
    for (const command of [
      ['enable', 'termii'],
      ['set', 'termii', '--rate', '5'],
    ])
      expect((await later.run('providers', ...command)).err).toContain('cannot be opened');
    expect(
      await later.json('providers', 'set', 'termii', '--secret', 'api_key=TERMII_API_KEY'),
    ).toMatchObject({
      changes: ['secrets: replaced; the stored ones cannot be opened'],
    });
    expect(await later.json('providers', 'enable', 'termii')).toMatchObject({
      changes: ['enabled: false → true'],
    });
    await without.json('providers', 'remove', 'other', '--yes');
    expect(await admin.json('providers', 'list')).toMatchObject([{ name: 'termii', state: 'up' }]);
  });

  it('do not result from two concurrent changes, of which none is lost', async () => {
    await admin.json('providers', 'add', 'termii', ...fromPreset);
    const changed = await runDuring(
      sql`UPDATE provider SET rate = 7`,
      ...['providers', 'set', 'termii', '--window', '5'],
    );
    expect(changed).toMatchObject({ code: 0 });
    expect(await admin.json('providers', 'show', 'termii')).toMatchObject({ rate: 7, window: 5 });
  });

  it('do not result from a route that is added while its provider is removed', async () => {
    await admin.json('providers', 'add', 'termii', ...fromPreset);
    const routed = await runDuring(sql`DELETE FROM provider`, 'routes', 'add', 'termii');
    expect(routed).toMatchObject({ code: 1, err: expect.stringContaining('there is no provider termii') });
  });
});
