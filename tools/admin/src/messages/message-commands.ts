import { destinationSettings, maxDeliveriesShown, messageHistory, revealMessage } from '@gangan/management';
import type { Command } from 'commander';
import { wordList } from '../session/arguments.js';
import { Money } from '../session/print.js';
import { addCommand, type AdminSession } from '../session/session.js';
import { setOptions } from '../session/set-options.js';
import { addUnansweredCommand } from './unanswered-command.js';

interface ShowOptions {
  readonly recipient?: string;
  readonly content?: true;
  readonly numbers?: true;
}

export function addCommands(group: Command, session: AdminSession): void {
  addUnansweredCommand(group, session);
  addCommand(
    group,
    'set <organisation>',
    'change where an organisation may send messages; effective within 10 s. default resets a setting',
    ['acme/live --countries NG,GH', 'acme/live --countries default'],
    'OTPs have settings of their own: pnpm admin otp set --help',
  )
    .option(
      '--countries <list>',
      'allowed countries, such as NG,GH',
      wordList((text) => text.toUpperCase()),
    )
    .action(async (given: string, options: Record<string, unknown>) => {
      const { countries } = await setOptions(session, given, destinationSettings, options);
      session.show({ countries: countries?.join(', ') ?? 'all' });
    });
  addCommand(
    group,
    'show <id>',
    'show the history of a message: charge, deliveries, attempts, reports, callbacks and clicks',
    [
      '01a1dd98-ffc6-7f4b-beeb-767704693149',
      '01a1dd98-ffc6-7f4b-beeb-767704693149 --recipient 08031234567',
      '01a1dd98-ffc6-7f4b-beeb-767704693149 --content --numbers',
    ],
    `Above ${maxDeliveriesShown} recipients, deliveries are only counted; --recipient shows one in full. The content is not shown and phone numbers are masked; --content and --numbers show them, and are stored in the audit log.`,
  )
    .option('--recipient <number>', 'the delivery to one number')
    .option('--content', 'show the text and the personalisation')
    .option('--numbers', 'show phone numbers in full')
    .action(async (id: string, { recipient, ...options }: ShowOptions) => {
      const query = { id, recipient, defaultRegion: session.settings.defaultRegion };
      const revealed = (['content', 'numbers'] as const).filter((each) => options[each]);
      const { content, personalisation, ...history } =
        revealed.length === 0
          ? await messageHistory(await session.database(), query)
          : await revealMessage(await session.access(), query, revealed);
      session.show({
        ...history,
        charge: new Money(history.charge),
        content,
        personalisation: personalisation ? JSON.stringify(personalisation) : undefined,
        ledger: history.ledger.map((row) => ({ ...row, amount: new Money(row.amount) })),
        states: history.states.map((row) => ({
          ...row,
          charge: new Money(row.charge),
          refunded: new Money(row.refunded),
        })),
      });
      const total = history.states.reduce((sum, { deliveries }) => sum + deliveries, 0);
      if (total > maxDeliveriesShown && recipient === undefined)
        session.remark(`The message has ${total} deliveries: add --recipient <number> to see one in full.`);
    });
}
