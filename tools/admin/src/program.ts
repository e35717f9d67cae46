import { Command } from 'commander';
import type { AdminSession } from './session/session.js';

interface CommandModule {
  addCommands(group: Command, session: AdminSession): void;
}

/** The groups of commands, loaded when they are used: loading all of them takes a second. */
const groups: Readonly<Record<string, readonly [description: string, load: () => Promise<CommandModule>]>> = {
  organisations: [
    'customers; an account has two organisations, live and test',
    () => import('./organisations/organisation-commands.js'),
  ],
  keys: ['API keys of an organisation', () => import('./keys/key-commands.js')],
  secrets: [
    'secrets that sign the callbacks of an organisation, and how stored secrets are sealed',
    () => import('./secrets/secret-commands.js'),
  ],
  callbacks: [
    'failing hosts, failed callbacks, and a test listener',
    () => import('./callbacks/callback-commands.js'),
  ],
  inbound: ['requests that providers sent to /in', () => import('./inbound/inbound-commands.js')],
  numbers: ['numbers at which organisations receive messages', () => import('./numbers/number-commands.js')],
  usage: ['organisations by requests, messages, money and storage', () => import('./usage/usage-command.js')],
  limits: ['rate and spending limits of an organisation', () => import('./limits/limit-commands.js')],
  messages: [
    'the history of messages, and where they may go',
    () => import('./messages/message-commands.js'),
  ],
  otp: ['text, template and allowed destinations of OTPs', () => import('./otp/otp-commands.js')],
  senders: [
    'sender IDs of organisations, and their registration at providers',
    () => import('./senders/sender-commands.js'),
  ],
  optouts: ['numbers that get no promotional messages', () => import('./opt-outs/opt-out-commands.js')],
  balance: ['available and reserved balance of an organisation', () => import('./money/money-commands.js')],
  'top-up': ['book a payment of an organisation', () => import('./money/money-commands.js')],
  adjust: ['correct a balance, up or down', () => import('./money/money-commands.js')],
  approvals: [
    'changes that wait for another operator, and the limit above which they do',
    () => import('./approvals/approval-commands.js'),
  ],
  approve: ['approve what another operator has requested', () => import('./approvals/approval-commands.js')],
  reject: ['reject a request, or withdraw your own', () => import('./approvals/approval-commands.js')],
  operators: [
    'people who can approve what others request, each with a database login',
    () => import('./operators/operator-commands.js'),
  ],
  ledger: ['check the ledger', () => import('./money/money-commands.js')],
  providers: ['connections to carriers and aggregators', () => import('./providers/provider-commands.js')],
  routes: ['which providers deliver which messages', () => import('./routes/route-commands.js')],
  templates: ['templates of WhatsApp accounts', () => import('./templates/template-commands.js')],
  prices: ['prices by service and number prefix', () => import('./prices/price-commands.js')],
  airtime: [
    'routes of purchases, data bundles, and purchases whose outcome an operator must resolve',
    () => import('./airtime/airtime-commands.js'),
  ],
  registry: [
    'ported numbers and do-not-disturb (dnd) numbers',
    () => import('./registry/registry-commands.js'),
  ],
  data: [
    'export or erase the personal data of a phone number, or of an organisation',
    () => import('./data/data-commands.js'),
  ],
  retention: ['how long data of one organisation is kept', () => import('./retention/retention-commands.js')],
  report: ['revenue and cost of messages', () => import('./reports/report-commands.js')],
  security: ['what would be refused in a new installation', () => import('./security/security-commands.js')],
  audit: [
    'the changes made with this command line, and their check',
    () => import('./audit/audit-commands.js'),
  ],
  backup: ['backups of the database', () => import('./backup/backup-commands.js')],
  queues: ['lanes, parked jobs and keys of the queues', () => import('./queues/queue-commands.js')],
};

export const groupNames: readonly string[] = Object.keys(groups);

const examples = `
An <organisation> is an id, or the name of its account and its mode: acme/live, acme/test.

Examples:
  pnpm admin organisations create Acme --sender Acme
  pnpm admin keys issue acme/live --name Production --scopes sms,otp --expires 90d
  pnpm admin top-up acme/live 50000 --reference INV-1042
  pnpm --silent admin keys list acme/live --json
  pnpm admin messages show 01a1dd98-ffc6-7f4b-beeb-767704693149
  pnpm admin usage --by messages
  pnpm admin queues list

Reads DATABASE_URL and REDIS_URL as the apps do, and QUEUE_MASTER_KEY and DATA_MASTER_KEY, also from files (DATABASE_URL_FILE); without DATABASE_URL it uses the system of \`pnpm start\`.
Commands that change or ask something print on standard error which database they act on.
Every change is stored in the audit log (\`pnpm admin audit\`) with the login of DATABASE_URL, and as a note GANGAN_ACTOR, else the user of the
operating system.
Exit codes: 0 success, 1 refused or failed, 2 usage error, 3 waits for the approval of another operator.`;

/** The program with the commands of the groups that occur in `args`; of the others only the name and description. */
export async function makeProgram(session: AdminSession, args: readonly string[]): Promise<Command> {
  const program = new Command('pnpm admin')
    .description('Manages organisations, keys, money, prices, registries and queues of a Gangan system')
    .option('--json', 'print JSON for scripts')
    .option('--yes', 'do not ask for confirmation')
    .option('--verbose', 'print the stack of errors')
    .addHelpText('after', examples)
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => session.terminal.out.write(text),
      writeErr: (text) => session.terminal.err.write(text),
    })
    .showHelpAfterError('(add --help for usage)')
    .exitOverride()
    .hook('preAction', (_, command) => {
      session.begin(command);
    });
  for (const [name, [description, load]] of Object.entries(groups)) {
    const group = program.command(name).description(description);
    if (args.includes(name)) (await load()).addCommands(group, session);
  }
  return program;
}
