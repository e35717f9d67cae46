import type { Command } from 'commander';
import type { AdminSession } from './session/session.js';

export interface Group {
  readonly name: string;
  readonly description: string;
  /** Its commands, loaded when they are used: all of them together take a second to load. */
  readonly load: () => Promise<(group: Command, session: AdminSession) => void>;
}

export const groups: readonly Group[] = [
  {
    name: 'organisations',
    description: 'customers: an account has two organisations, live and test',
    load: async () => (await import('./organisations/organisation-commands.js')).addOrganisationCommands,
  },
  {
    name: 'keys',
    description: 'API keys of an organisation',
    load: async () => (await import('./keys/key-commands.js')).addKeyCommands,
  },
  {
    name: 'secrets',
    description: 'what callbacks of an organisation are signed with',
    load: async () => (await import('./secrets/secret-commands.js')).addSecretCommands,
  },
  {
    name: 'callbacks',
    description: 'reports to customers: hosts that take none, sending again, and a listener to try them with',
    load: async () => (await import('./callbacks/callback-commands.js')).addCallbackCommands,
  },
  {
    name: 'limits',
    description: 'what an organisation may do: 0 is off, default as configured',
    load: async () => (await import('./limits/limit-commands.js')).addLimitCommands,
  },
  {
    name: 'otp',
    description: 'how the OTPs of an organisation look, and where they may go',
    load: async () => (await import('./otp/otp-commands.js')).addOtpCommands,
  },
  {
    name: 'senders',
    description: 'sender IDs that an organisation has registered',
    load: async () => (await import('./senders/sender-commands.js')).addSenderCommands,
  },
  {
    name: 'balance',
    description: 'what an organisation can spend, and what is set aside for purchases under way',
    load: async () => (await import('./money/balance-command.js')).addBalanceCommand,
  },
  {
    name: 'top-up',
    description: 'book money that has come in',
    load: async () => (await import('./money/top-up-command.js')).addTopUpCommand,
  },
  {
    name: 'adjust',
    description: 'correct a balance by hand, up or down',
    load: async () => (await import('./money/adjust-command.js')).addAdjustCommand,
  },
  {
    name: 'ledger',
    description: 'the books',
    load: async () => (await import('./money/ledger-commands.js')).addLedgerCommands,
  },
  {
    name: 'prices',
    description: 'what a page, a message or a look-up costs, by the first digits of the number',
    load: async () => (await import('./prices/price-commands.js')).addPriceCommands,
  },
  {
    name: 'airtime',
    description: 'purchases whose outcome a person has to find out',
    load: async () => (await import('./airtime/airtime-commands.js')).addAirtimeCommands,
  },
  {
    name: 'registry',
    description: 'what look-ups know: numbers that were ported, and numbers that want no promotion (dnd)',
    load: async () => (await import('./registry/registry-commands.js')).addRegistryCommands,
  },
  {
    name: 'queues',
    description: 'what travels between the gateway and the workers',
    load: async () => (await import('./queues/queue-commands.js')).addQueueCommands,
  },
];
