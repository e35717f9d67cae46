import { Command } from 'commander';
import type { Desk, GlobalOptions } from './desk/desk.js';
import { addKeyCommands } from './keys/key-commands.js';
import { addLimitCommands } from './limits/limit-commands.js';
import { addMoneyCommands } from './money/money-commands.js';
import { addOrganisationCommands } from './organisations/organisation-commands.js';
import { addPriceCommands } from './prices/price-commands.js';
import { addQueueCommands } from './queues/queue-commands.js';
import { addRegistryCommands } from './registry/registry-commands.js';
import { addSecretCommands } from './secrets/secret-commands.js';
import { addSenderCommands } from './senders/sender-commands.js';

const examples = `
An <organisation> is an id, or the name of its account with the mode: acme/live, acme/test.

Examples:
  pnpm admin organisations create Acme --sender Acme
  pnpm admin keys issue acme/live --name Production --expires 90d
  pnpm admin top-up acme/live 50000 --reference INV-1042
  pnpm --silent admin keys list acme/live --json
  pnpm admin queues list

It uses DATABASE_URL, REDIS_URL and QUEUE_KEY as the apps do; without DATABASE_URL, the system of \`pnpm start\`.
Exit codes: 0 done, 1 refused or failed, 2 not understood.`;

export function makeProgram(desk: Desk): Command {
  const program = new Command('pnpm admin')
    .description('Organisations, keys, money, prices, registries and queues of a Gangan system')
    .option('--json', 'print JSON for scripts')
    .option('--yes', 'do it without asking')
    .option('--verbose', 'say more when something fails')
    .addHelpText('after', examples)
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => desk.terminal.out.write(text),
      writeErr: (text) => desk.terminal.err.write(text),
    })
    .showHelpAfterError('(add --help to see how)')
    .exitOverride()
    .hook('preAction', (_, command) => {
      desk.begin(command.optsWithGlobals<GlobalOptions>());
    });
  for (const add of [
    addOrganisationCommands,
    addKeyCommands,
    addSecretCommands,
    addLimitCommands,
    addSenderCommands,
    addMoneyCommands,
    addPriceCommands,
    addRegistryCommands,
    addQueueCommands,
  ])
    add(program, desk);
  return program;
}
