import {
  type Channel,
  channels,
  isKnownRegion,
  messageCategories,
  networks,
  parsePhone,
} from '@gangan/contracts';
import type { Database } from '@gangan/database';
import { newId } from '@gangan/protocol';
import {
  decideRoute,
  operatorOf,
  portedNumberReader,
  readRoutableProviders,
  readRoutes,
  SenderRegistrationReader,
  type RouteCategory,
  routeTable,
  storedHealth,
} from '@gangan/providers';
import { type Command, Option } from 'commander';
import { invalid, sender as senderArgument } from '../session/arguments.js';
import { CommandError } from '../session/errors.js';
import { labelOf } from '@gangan/management';
import type { Row } from '../session/print.js';
import { addCommand, type AdminSession } from '../session/session.js';
import { addRouteCommands } from './change-commands.js';
import { describeMessages, messageRoutes, withTargets } from './message-routes.js';
import type { MessageConditions } from './route-store.js';
import { formatTargets, parseTargets } from './targets.js';

interface Options {
  readonly organisation?: string;
  readonly channel: Channel;
  readonly category?: RouteCategory;
  readonly operator?: string;
  readonly prefix?: string;
  readonly country?: string;
}

const categories: readonly RouteCategory[] = [...messageCategories, 'otp'];

/** Why a provider of the route gets no messages now. */
const stateReasons = {
  up: 'it works',
  open: 'it keeps failing, and is tested from time to time',
  paused: 'it refuses our account, and is tested from time to time',
} as const;

function addOptions(command: Command): Command {
  return command
    .option('--organisation <organisation>', 'only deliveries of this organisation')
    .addOption(new Option('--channel <channel>').choices(channels).default('sms'))
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
}

export function addCommands(group: Command, session: AdminSession): void {
  addCommand(group, 'list', 'list all routes; the most specific one that matches decides').action(
    async () => {
      session.list(
        await describeAll(await session.database()),
        'There is no route: live organisations cannot send. Add one with `pnpm admin routes add`.',
      );
    },
  );

  addRouteCommands<MessageConditions, Options>(group, session, {
    table: messageRoutes,
    add: {
      name: 'add',
      description: 'route deliveries to providers',
      examples: [
        ...['termii', 'termii:80,other:20 backup --country NG'],
        ...['termii-otp --category otp', 'mtn-direct termii --operator MTN'],
      ],
      notes:
        'Each argument is tried after the one before it. termii:80,other:20 shares the first attempts by weight.',
    },
    remove: { name: 'remove', examples: ['--country NG'] },
    addOptions,
    conditionsOf: (
      { channel, category = null, operator = null, prefix = null, country = null },
      organisationId,
    ) => ({ organisationId, channel, category, operator, prefix, country }),
    describe: describeMessages,
    parse: parseTargets,
    rowOf: ({ organisation = 'any', channel, category, operator, prefix, country }) => ({
      ...{ organisation, channel, category, operator, prefix, country },
    }),
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
    .addOption(new Option('--channel <channel>').choices(channels).default('sms'))
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
        { sender: named, ...options }: { channel: Channel; category: RouteCategory; sender?: string },
      ) => {
        const { database, id: organisationId, label, mode } = await session.organisation(given);
        const { defaultSender } = await database.organisation.findUniqueOrThrow({
          where: { id: organisationId },
        });
        const sender = named ?? defaultSender;
        const parsed = parsePhone(phone, session.settings.defaultRegion);
        if (!parsed) throw new CommandError(`"${phone}" is not a phone number.`);
        const portedTo = (await portedNumberReader(database)([parsed.e164])).get(parsed.e164) ?? null;
        const operator = operatorOf(parsed, portedTo);
        const about = {
          organisation: label,
          ...options,
          sender,
          recipient: parsed.e164,
          country: parsed.country,
          operator,
          ported_to: portedTo,
        };
        if (mode === 'test') {
          session.show({
            ...about,
            decision: 'simulator',
            why: 'test organisations always use the simulator',
          });
          return;
        }
        const table = routeTable(
          await readRoutes(database),
          await readRoutableProviders(database),
          await new SenderRegistrationReader(database).read(),
        );
        const to = { recipient: parsed.e164, portedTo };
        const subject = { id: newId(), organisationId, sender, ...to, ...options };
        const { route, providers, unusable } = decideRoute(table, subject);
        const usable = route?.targets.filter(({ provider }) => providers.includes(provider)) ?? [];
        const refusal = unusable.some(({ isSender }) => isSender)
          ? '400: no provider of the route takes the sender'
          : '503';
        const health = await storedHealth.readAll(database, 'message');
        const stopped = health.filter(
          ({ provider, state }) => state !== 'up' && providers.includes(provider),
        );
        if (providers.length === 0) session.exitCode = 1;
        session.show({
          ...about,
          decision:
            usable.length > 0 ? formatTargets(usable) : `none: the message is refused with ${refusal}`,
          why: route
            ? `the most specific route that matches: ${describeMessages(route, label)}`
            : 'no route matches',
          left_out: unusable.map(({ provider, why }) => `${provider}: ${why}.`),
          sent_as: providers.flatMap((name) => {
            const originator = table.registrations.find(name, sender, organisationId)?.originator ?? sender;
            return originator === sender ? [] : [`${originator} by ${name}`];
          }),
          passed_over: stopped.map(({ provider, state }) => `${provider}: ${stateReasons[state]}.`),
        });
      },
    );
}

async function describeAll(database: Database): Promise<Row[]> {
  const rows = await database.route.findMany({ include: withTargets });
  const { routes } = routeTable(await readRoutes(database), []);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return routes.flatMap(({ id, channel, category, operator, prefix, country }) => {
    const row = byId.get(id);
    if (!row) return [];
    const organisation = row.organisation ? labelOf(row.organisation) : 'any';
    const conditions = { organisation, channel, category, operator, prefix, country };
    return [{ ...conditions, providers: formatTargets(row.targets) }];
  });
}
