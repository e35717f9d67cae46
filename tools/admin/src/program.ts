import { Command } from 'commander';
import type { AdminSession, GlobalOptions } from './session/session.js';
import { groups } from './groups.js';

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

/** The program with the commands that `given` names; of the others only what the help says of them. */
export async function makeProgram(session: AdminSession, given: readonly string[]): Promise<Command> {
  const program = new Command('pnpm admin')
    .description('Organisations, keys, money, prices, registries and queues of a Gangan system')
    .option('--json', 'print JSON for scripts')
    .option('--yes', 'do it without asking')
    .option('--verbose', 'say more when something fails')
    .addHelpText('after', examples)
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => session.terminal.out.write(text),
      writeErr: (text) => session.terminal.err.write(text),
    })
    .showHelpAfterError('(add --help to see how)')
    .exitOverride()
    .hook('preAction', (_, command) => {
      session.begin(command.optsWithGlobals<GlobalOptions>());
    });
  for (const { name, description, load } of groups) {
    const group = program.command(name).description(description);
    if (given.includes(name)) (await load())(group, session);
  }
  return program;
}
