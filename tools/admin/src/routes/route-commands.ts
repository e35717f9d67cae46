import {
  type Channel,
  channels,
  isKnownRegion,
  messageCategories,
  networks,
  parsePhone,
} from '@gangan/contracts';
import { explainRoute, listRoutes, messageRoute } from '@gangan/management';
import type { RouteCategory } from '@gangan/providers';
import { type Command, Option } from 'commander';
import { invalid, sender as senderArgument } from '../session/arguments.js';
import { CommandError } from '../session/errors.js';
import { addCommand, type AdminSession } from '../session/session.js';
import { addRouteActions, removal } from './change-commands.js';
import { parseTargets } from './targets.js';

interface Options {
  readonly organisation?: string;
  readonly channel: Channel;
  readonly category?: RouteCategory;
  readonly operator?: string;
  readonly prefix?: string;
  readonly country?: string;
}

const categories: readonly RouteCategory[] = [...messageCategories, 'otp'];
const channelOption = (): Option => new Option('--channel <channel>').choices(channels).default('sms');

const addOptions = (command: Command): Command =>
  command
    .option('--organisation <organisation>', 'only deliveries of this organisation')
    .addOption(channelOption())
    .addOption(
      new Option('--category <category>', 'only OTPs, or messages of this category').choices(categories),
    )
    .addOption(
      new Option('--operator <network>', 'only numbers of this network, as ported or by their range').choices(
        networks,
      ),
    )
    .addOption(
      new Option('--prefix <digits>', 'only numbers that start with these international digits')
        .argParser((text: string) =>
          /^\+?[1-9]\d{0,14}$/.test(text) ? text.replace('+', '') : invalid('Use digits such as 234803.'),
        )
        .conflicts('country'),
    )
    .option('--country <code>', 'only numbers of this country, such as NG', (text: string) =>
      isKnownRegion(text.toUpperCase()) ? text.toUpperCase() : invalid('Use an ISO 3166 code such as NG.'),
    );

export function addCommands(group: Command, session: AdminSession): void {
  addCommand(group, 'list', 'list all routes; the most specific one that matches decides').action(
    async () => {
      session.list(
        await listRoutes(await session.database()),
        'There is no route: live organisations cannot send. Add one with `pnpm admin routes add`.',
      );
    },
  );

  const examples = [
    ...['termii', 'termii:80,other:20 backup --country NG'],
    ...['termii-otp --category otp', 'mtn-direct termii --operator MTN'],
  ];
  const notes =
    'Each argument is tried after the one before it. termii:80,other:20 shares the first attempts by weight.';
  addRouteActions<Options>(session, {
    adding: addOptions(
      addCommand(group, 'add <providers...>', 'route deliveries to providers', examples, notes),
    ),
    removing: addOptions(addCommand(group, 'remove', removal, ['--country NG'])),
    routeOf: ({ channel, category = null, operator = null, prefix = null, country = null }, owner) => {
      const organisationId = owner?.id ?? null;
      return messageRoute({ organisationId, channel, category, operator, prefix, country }, owner?.label);
    },
    parse: parseTargets,
    rowOf: (options) => ({ organisation: 'any', ...options }),
    asksToReplace: true,
  });

  addCommand(
    group,
    'explain <organisation>',
    'show which providers a message to a number goes to, and why',
    ['acme/live 08031234567 --sender Acme', 'acme/live 08031234567 --category otp'],
    'Workers with SIMULATE_LIVE=true use the simulator for live organisations too, and ignore the routes.',
  )
    .argument('<phone>', 'of the recipient')
    .addOption(channelOption())
    .addOption(new Option('--category <category>').choices(categories).default('transactional'))
    .option(
      '--sender <sender>',
      'of the message; without it the default sender of the organisation',
      senderArgument,
    )
    .action(
      async (
        given: string,
        phone: string,
        options: { channel: Channel; category: RouteCategory; sender?: string },
      ) => {
        const { database, ...organisation } = await session.organisation(given);
        const parsed = parsePhone(phone, session.settings.defaultRegion);
        if (!parsed) throw new CommandError(`"${phone}" is not a phone number.`);
        const { isRouted, explanation } = await explainRoute(database, organisation, parsed, options);
        if (!isRouted) session.exitCode = 1;
        session.show(explanation);
      },
    );
}
