import type { Command } from 'commander';
import { addSender, listSenders, removeSender, restrictSenders, setRule } from '@gangan/management';
import { sender } from '../session/arguments.js';
import { addCommand, type AdminSession } from '../session/session.js';
import { addRegistrationCommands } from './registration-commands.js';

export function addCommands(group: Command, session: AdminSession): void {
  addCommand(group, 'list <organisation>', 'list the senders that an organisation may use').action(
    async (given: string) => {
      const { database, id, label } = await session.organisation(given);
      const senders = await listSenders(database, { id });
      session.list(
        senders.map(({ name, createdAt }) => ({ name, registered: createdAt })),
        `${label} has no registered sender.`,
      );
    },
  );

  addCommand(group, 'add <organisation>', 'let an organisation use a sender', ['acme/live Acme'])
    .argument('<name>', '1 to 11 characters', sender)
    .action(async (given: string, name: string) => {
      const organisation = await session.organisation(given);
      await addSender(await session.access(), organisation, name);
      session.done(`${organisation.label} may send as ${name}.`, { organisation: organisation.id, name });
    });

  addCommand(group, 'remove <organisation>', 'stop an organisation from using a sender', ['acme/live Acme'])
    .argument('<name>', 'of the sender')
    .action(async (given: string, name: string) => {
      const organisation = await session.organisation(given);
      await session.confirm(`Remove the sender ${name} of ${organisation.label}?`);
      await removeSender(await session.access(), organisation, name);
      session.done(`${name} is removed.`, { organisation: organisation.id, name });
    });

  addCommand(group, 'restrict <organisation>', 'allow only the default sender and registered senders').action(
    async (given: string) => {
      const organisation = await session.organisation(given);
      const names = await restrictSenders(await session.access(), organisation);
      const sentence = `${organisation.label} may send as ${names.join(', ')} only.`;
      session.done(sentence, { organisation: organisation.id, registered_senders_only: true });
    },
  );

  addCommand(group, 'free <organisation>', 'allow any sender').action(async (given: string) => {
    const organisation = await session.organisation(given);
    await setRule(await session.access(), organisation, 'registeredSendersOnly', false);
    const row = { organisation: organisation.id, registered_senders_only: false };
    session.done(`${organisation.label} may use any sender.`, row);
  });

  addRegistrationCommands(group, session);
}
