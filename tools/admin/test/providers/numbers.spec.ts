import { createAccount } from '@gangan/database';
import { newId } from '@gangan/protocol';
import { masterSealer } from '@gangan/sealing';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { dataKey } from '../support/admin-cli.js';
import { AdminFixture } from '../support/admin-fixture.js';

describe('numbers at which organisations receive messages', () => {
  const fixture = AdminFixture.use();
  const admin = fixture.cli({});
  beforeAll(async () => {
    const sealer = masterSealer([dataKey]);
    await createAccount(fixture.database, sealer, { name: 'Acme', sender: 'Acme' });
    const other = await createAccount(fixture.database, sealer, { name: 'Other', sender: 'Other' });
    const own = { kind: 'http', domains: ['message' as const], channels: ['sms' as const], settings: {} };
    await fixture.database.provider.createMany({
      data: [
        { id: newId(), name: 'carrier', ...own },
        { id: newId(), name: 'of-other', organisationId: other.organisations[0]?.id ?? '', ...own },
      ],
    });
  });

  const list = async (...filters: string[]): Promise<string[]> => {
    const rows = await admin.json<Record<string, string>[]>('numbers', 'list', ...filters);
    return rows.map((row) => `${row['channel']} ${row['number']} ${row['organisation']} ${row['provider']}`);
  };
  const fails = async (message: string, ...args: string[]): Promise<void> => {
    expect(await admin.run('numbers', ...args)).toMatchObject({
      code: expect.any(Number),
      err: expect.stringContaining(message),
    });
  };

  it('are assigned to one organisation, listed and unassigned', async () => {
    await admin.json('numbers', 'assign', 'acme/live', '0800 123 4567');
    await admin.json('numbers', 'assign', 'acme/live', '+2348001234567');
    await admin.json('numbers', 'assign', 'other/test', '22345', '--provider', 'carrier');
    await admin.json('numbers', 'assign', 'other/live', '+15550783881', '--channel', 'whatsapp');
    expect(await list()).toEqual([
      'sms +2348001234567 Acme/live any',
      'sms 22345 Other/test carrier',
      'whatsapp +15550783881 Other/live any',
    ]);
    expect(await list('--organisation', 'acme/live')).toHaveLength(1);
    expect(await list('--channel', 'whatsapp')).toHaveLength(1);
    await fails('belongs to Acme/live', 'assign', 'other/live', '+2348001234567');
    await fails('belongs to Other/test for messages of carrier', 'assign', 'other/test', '22345');
    await fails('is not assigned', 'unassign', '+15550783881');
    await admin.json('numbers', 'unassign', '22345', '--yes');
    expect(await list('--organisation', 'other/test')).toEqual([]);
  });

  it('do not affect WhatsApp windows after they are unassigned', async () => {
    const { database } = fixture;
    const first = { channel: 'whatsapp', number: '+15550783882' } as const;
    const second = { channel: 'whatsapp', number: '+15550783883' } as const;
    const [acme, other] = await Promise.all(
      ['Acme', 'Other'].map((name) =>
        database.organisation.findFirstOrThrow({ where: { mode: 'live', account: { name } } }),
      ),
    );
    const [organisationId, otherId] = [acme?.id ?? '', other?.id ?? ''];
    await database.inboundNumber.createMany({
      data: [
        { ...first, organisationId, provider: 'one' },
        { ...second, organisationId },
      ],
    });
    const now = new Date();
    for (const [owner, provider] of [
      [organisationId, 'one'],
      [organisationId, 'two'],
      [organisationId, 'three'],
      [otherId, 'one'],
    ] as const)
      await database.whatsAppReceiver.create({
        data: { organisationId: owner, provider, firstReceivedAt: now, lastReceivedAt: now },
      });
    const known = async () => {
      const rows = await database.whatsAppReceiver.findMany({ orderBy: { provider: 'asc' } });
      return rows.map((row) => `${row.organisationId === otherId ? 'Other' : 'Acme'} ${row.provider}`);
    };
    await admin.json('numbers', 'unassign', first.number, '--channel', 'whatsapp', '--yes');
    expect(await known()).toEqual(['Other one', 'Acme three', 'Acme two']);
    // Of a number without a provider it is not known which one brought its messages.
    await admin.json('numbers', 'unassign', second.number, '--channel', 'whatsapp', '--yes');
    expect(await known()).toEqual(['Other one']);
  });

  it('are refused if they cannot receive messages', async () => {
    await fails('short code of 3 to 8 digits', 'assign', 'acme/live', 'Acme');
    await fails('There is no provider missing', 'assign', 'acme/live', '333', '--provider', 'missing');
    await fails('belongs to another organisation', 'assign', 'acme/live', '333', '--provider', 'of-other');
    await fails(
      'does not serve the channel whatsapp',
      ...['assign', 'acme/live', '+2348001234568', '--channel', 'whatsapp', '--provider', 'carrier'],
    );
    expect(await list('--organisation', 'acme/live')).toHaveLength(1);
  });

  it('are masked in the audit log', async () => {
    const entries = await admin.json<object[]>('audit', '--action', 'numbers assign');
    expect(JSON.stringify(entries)).toContain('"+234…567"');
    expect(JSON.stringify(entries)).not.toContain('8001234567');
  });
});
