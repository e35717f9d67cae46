import { type Models, SenderStatus } from '@gangan/database';
import { newId } from '@gangan/protocol';
import { type Command, Option } from 'commander';
import { changeProvidersAndRoutes } from '../routes/lock.js';
import { invalid, sender as senderArgument, plainText } from '../session/arguments.js';
import { CommandError } from '../session/errors.js';
import { labelOf, withAccount } from '@gangan/management';
import type { Row } from '../session/print.js';
import { addCommand, type AdminSession } from '../session/session.js';

interface Owner {
  readonly organisation?: string;
}

interface Key {
  readonly provider: string;
  readonly sender: string;
  readonly organisationId: string | null;
}

const ownerOption = [
  '--organisation <organisation>',
  'only for this organisation; without it for all',
] as const;
const note = ['--note <text>', 'such as the reference of the registration', plainText(255)] as const;
const applies = 'Workers apply it within 5 s.';

/** A long code has more characters than a sender. */
const originator = (text: string): string =>
  /^[ -~]{1,32}$/.test(text)
    ? text.trim() || invalid('It is blank.')
    : invalid('Use 1 to 32 ASCII characters.');

/** Senders as they are registered at providers. */
export function addRegistrationCommands(group: Command, session: AdminSession): void {
  addCommand(group, 'registrations', 'list the senders that are registered at providers', [
    '',
    '--provider termii',
  ])
    .option('--provider <provider>', 'only of this provider')
    .option('--sender <sender>', 'only this sender')
    .addOption(new Option('--status <status>').choices(Object.values(SenderStatus)))
    .action(async (where: { provider?: string; sender?: string; status?: SenderStatus }) => {
      const database = await session.database();
      const rows = await database.senderRegistration.findMany({
        where,
        include: withAccount,
        orderBy: [{ provider: 'asc' }, { sender: 'asc' }, { id: 'asc' }],
      });
      session.list(
        rows.map((row) => ({
          provider: row.provider,
          sender: row.sender,
          organisation: row.organisation ? labelOf(row.organisation) : 'any',
          originator: row.originator,
          status: row.status,
          note: row.note,
          changed: row.updatedAt ?? row.createdAt,
        })),
        'There is no registration: add one with `pnpm admin senders register`.',
      );
    });

  const notes = `A provider that needs registered senders (\`pnpm admin providers set termii --registered-senders yes\`) gets only
messages with an approved sender; every provider refuses one that is pending or rejected. ${applies}`;
  const examples = [
    'termii Acme --status approved',
    'termii Acme --organisation acme/live --note "Case 4711"',
  ];
  addCommand(group, 'register <provider>', 'store that a sender is registered at a provider', examples, notes)
    .argument('<sender>', '1 to 11 characters', senderArgument)
    .option(...ownerOption)
    .option(
      '--originator <text>',
      'what the provider gets instead of the sender, such as a long code',
      originator,
    )
    .addOption(new Option('--status <status>').choices(Object.values(SenderStatus)).default('pending'))
    .option(...note)
    .action(
      async (
        provider: string,
        sender: string,
        options: Owner & { originator?: string; status: SenderStatus; note?: string },
      ) => {
        const { status, originator: form = null, note: text = null } = options;
        const key = await keyOf(provider, sender, options);
        await changeProvidersAndRoutes(session, async (models) => {
          await checkProvider(models, key);
          const existing = await models.senderRegistration.findFirst({ where: key });
          if (existing)
            throw new CommandError(
              `${describe(key, options)} is ${existing.status}: use \`pnpm admin senders approve\`, \`reject\` or \`unregister\`.`,
            );
          const data = { ...key, originator: form, status, note: text };
          await models.senderRegistration.create({ data: { id: newId(), ...data } });
          await audit(models, key, undefined, data);
        });
        session.done(`${describe(key, options)} is ${status}. ${applies}`, rowOf(key, options, status));
      },
    );

  for (const [name, status] of [
    ['approve', 'approved'],
    ['reject', 'rejected'],
  ] as const)
    addCommand(
      group,
      `${name} <provider>`,
      `store that the provider has ${status} a sender`,
      ['termii Acme'],
      applies,
    )
      .argument('<sender>')
      .option(...ownerOption)
      .option(...note)
      .action(async (provider: string, sender: string, options: Owner & { readonly note?: string }) => {
        const key = await keyOf(provider, sender, options);
        await changeProvidersAndRoutes(session, async (models) => {
          const { id, ...before } = await find(models, key, options);
          const data = { status, note: options.note ?? before.note };
          await models.senderRegistration.update({ where: { id }, data: { ...data, updatedAt: new Date() } });
          await audit(models, key, before, { ...before, ...data });
        });
        session.done(`${describe(key, options)} is ${status}. ${applies}`, rowOf(key, options, status));
      });

  addCommand(group, 'unregister <provider>', 'remove the registration of a sender', ['termii Acme'])
    .argument('<sender>')
    .option(...ownerOption)
    .action(async (provider: string, sender: string, options: Owner) => {
      const key = await keyOf(provider, sender, options);
      await session.confirm(`Remove the registration of ${sender} at ${provider}?`);
      await changeProvidersAndRoutes(session, async (models) => {
        const { id, ...before } = await find(models, key, options);
        await models.senderRegistration.delete({ where: { id } });
        await audit(models, key, before, undefined);
      });
      session.done(`${describe(key, options)} is removed. ${applies}`, rowOf(key, options));
    });

  async function keyOf(provider: string, sender: string, { organisation }: Owner): Promise<Key> {
    const own = organisation === undefined ? undefined : await session.liveOrganisation(organisation);
    return { provider, sender, organisationId: own?.id ?? null };
  }

  function audit(
    models: Models,
    { provider, sender, organisationId }: Key,
    before: Registration | undefined,
    after: Registration | undefined,
  ): Promise<void> {
    return session.audit(models, {
      organisationId: organisationId ?? undefined,
      target: `${provider} ${sender}`,
      before: before && auditRow(before),
      after: after && auditRow(after),
    });
  }
}

interface Registration {
  readonly originator: string | null;
  readonly status: SenderStatus;
  readonly note: string | null;
}

const auditRow = ({ originator: form, status, note: text }: Registration): Row => ({
  originator: form,
  status,
  note: text,
});

async function find(models: Models, key: Key, owner: Owner) {
  const found = await models.senderRegistration.findFirst({ where: key });
  if (found) return found;
  throw new CommandError(
    `${describe(key, owner)} is not registered: see \`pnpm admin senders registrations\`.`,
  );
}

async function checkProvider(models: Models, { provider, organisationId }: Key): Promise<void> {
  const found = await models.provider.findUnique({ where: { name: provider } });
  if (!found) throw new CommandError(`There is no provider ${provider}: see \`pnpm admin providers list\`.`);
  if (found.organisationId !== null && organisationId !== null && found.organisationId !== organisationId)
    throw new CommandError(`${provider} belongs to another organisation.`);
}

const describe = ({ provider, sender }: Key, { organisation }: Owner): string =>
  `The sender ${sender} at ${provider}${organisation === undefined ? '' : ` for ${organisation}`}`;

const rowOf = ({ provider, sender }: Key, { organisation }: Owner, status?: SenderStatus): Row => ({
  provider,
  sender,
  organisation: organisation ?? 'any',
  status,
});
