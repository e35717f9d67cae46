import type { Command } from 'commander';
import { setRule } from '@gangan/management';
import { sender } from '../session/arguments.js';
import { CommandError } from '../session/errors.js';
import { addCommand, type AdminSession } from '../session/session.js';
import { addRegistrationCommands } from './registration-commands.js';

export function addCommands(group: Command, session: AdminSession): void {
  addCommand(group, 'list <organisation>', 'list the senders that an organisation may use').action(
    async (given: string) => {
      const { database, id, label } = await session.organisation(given);
      const senders = await database.sender.findMany({
        where: { organisationId: id },
        orderBy: { name: 'asc' },
      });
      session.list(
        senders.map(({ name, createdAt }) => ({ name, registered: createdAt })),
        `${label} has no registered sender.`,
      );
    },
  );

  addCommand(group, 'add <organisation>', 'let an organisation use a sender', ['acme/live Acme'])
    .argument('<name>', '1 to 11 characters', sender)
    .action(async (given: string, name: string) => {
      const { database, id, label } = await session.organisation(given);
      await database.$transaction(async (models) => {
        const data = [{ organisationId: id, name }];
        const { count } = await models.sender.createMany({ data, skipDuplicates: true });
        if (count > 0) await session.audit(models, { organisationId: id, target: label, after: { name } });
      });
      session.done(`${label} may send as ${name}.`, { organisation: id, name });
    });

  addCommand(group, 'remove <organisation>', 'stop an organisation from using a sender', ['acme/live Acme'])
    .argument('<name>', 'of the sender')
    .action(async (given: string, name: string) => {
      const { database, id, label } = await session.organisation(given);
      await session.confirm(`Remove the sender ${name} of ${label}?`);
      await database.$transaction(async (models) => {
        const { count } = await models.sender.deleteMany({ where: { organisationId: id, name } });
        if (count === 0) throw new CommandError(`${label} has no sender ${name}.`);
        await session.audit(models, { organisationId: id, target: label, before: { name } });
      });
      session.done(`${name} is removed.`, { organisation: id, name });
    });

  addCommand(group, 'restrict <organisation>', 'allow only the default sender and registered senders').action(
    async (given: string) => {
      const { label, names, result } = await setRestriction(given, true);
      session.done(`${label} may send as ${names.join(', ')} only.`, result);
    },
  );

  addCommand(group, 'free <organisation>', 'allow any sender').action(async (given: string) => {
    const { label, result } = await setRestriction(given, false);
    session.done(`${label} may use any sender.`, result);
  });

  addRegistrationCommands(group, session);

  async function setRestriction(given: string, registeredSendersOnly: boolean) {
    const organisation = await session.organisation(given);
    const { database, id, label } = organisation;
    await setRule(await session.access(), organisation, 'registeredSendersOnly', registeredSendersOnly);
    const result = { organisation: id, registered_senders_only: registeredSendersOnly };
    const { defaultSender, senders } = await database.organisation.findUniqueOrThrow({
      where: { id },
      include: { senders: { orderBy: { name: 'asc' } } },
    });
    const names = new Set([defaultSender, ...senders.map(({ name }) => name)]);
    return { label, names: [...names], result };
  }
}
