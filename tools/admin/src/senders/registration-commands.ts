import { SenderStatus } from '@gangan/database';
import {
  decideSender,
  describeSender,
  listRegistrations,
  type RegistrationFilter,
  registerSender,
  type SenderKey,
  unregisterSender,
} from '@gangan/management';
import { type Command, Option } from 'commander';
import { invalid, sender as senderArgument, plainText } from '../session/arguments.js';
import type { Row } from '../session/print.js';
import { addCommand, type AdminSession } from '../session/session.js';

interface Owner {
  readonly organisation?: string;
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
    .action(async (filter: RegistrationFilter) => {
      session.list(
        await listRegistrations(await session.database(), filter),
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
        await registerSender(await session.access(), key, { originator: form, status, note: text });
        session.done(`${describeSender(key)} is ${status}. ${applies}`, rowOf(key, status));
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
        await decideSender(await session.access(), key, status, options.note);
        session.done(`${describeSender(key)} is ${status}. ${applies}`, rowOf(key, status));
      });

  addCommand(group, 'unregister <provider>', 'remove the registration of a sender', ['termii Acme'])
    .argument('<sender>')
    .option(...ownerOption)
    .action(async (provider: string, sender: string, options: Owner) => {
      const key = await keyOf(provider, sender, options);
      await session.confirm(`Remove the registration of ${sender} at ${provider}?`);
      await unregisterSender(await session.access(), key);
      session.done(`${describeSender(key)} is removed. ${applies}`, rowOf(key));
    });

  /** The organisation is called as it was given. */
  async function keyOf(provider: string, sender: string, { organisation: label }: Owner): Promise<SenderKey> {
    if (label === undefined) return { provider, sender };
    const { id } = await session.liveOrganisation(label);
    return { provider, sender, organisation: { id, label } };
  }
}

const rowOf = ({ provider, sender, organisation }: SenderKey, status?: SenderStatus): Row => ({
  provider,
  sender,
  organisation: organisation?.label ?? 'any',
  status,
});
