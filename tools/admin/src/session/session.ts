import { Database } from '@gangan/database';
import type { QueueAdmin } from '@gangan/queue';
import { type DataSealer, masterSealer } from '@gangan/sealing';
import type { Command } from 'commander';
import { findOrganisation, type Organisation, requireLive, type SealedAccess } from '@gangan/management';
import { actorOf } from './actor.js';
import { CommandError, describeFailure, usable } from './errors.js';
import { asJson, asLines, asTable, type Row, withoutControls } from './print.js';
import { describeTarget } from './target.js';
import { configuredKeys, databaseUrlOf, queueConnectionOf, type Settings } from './stores.js';

export interface Terminal {
  readonly out: { write(text: string): unknown };
  readonly err: { write(text: string): unknown };
  /** Whether an operator can answer questions. */
  readonly isTerminal: boolean;
}

export interface GlobalOptions {
  readonly json?: true;
  readonly yes?: true;
  readonly verbose?: true;
}

/** Where a session gets its database. */
export interface DatabaseSource {
  open(url: string): Database;
  /** At the end of the session. */
  release(database: Database): Promise<void>;
}

const statementTimeoutMs = 600_000;

/** A database for one session. */
export const ownDatabase: DatabaseSource = {
  open: (url) =>
    new Database({ url, poolSize: 2, name: 'gangan admin', statementTimeoutMs, allowScans: true }),
  release: (database) => database.close(),
};

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** What commands work with: database and queue, opened on first use, and the terminal. */
export class AdminSession {
  /** Set by a command that ran but did not do what was asked: it found a fault, or needs an approval. */
  exitCode = 0;
  private options: GlobalOptions = {};
  private openedDatabase?: Database;
  private checkedVersion?: Promise<void>;
  private openedQueues?: QueueAdmin;
  private hasNamedTarget = false;

  constructor(
    readonly settings: Settings,
    readonly terminal: Terminal,
    private readonly databases: DatabaseSource = ownDatabase,
  ) {}

  begin(command: Command): void {
    this.options = command.optsWithGlobals<GlobalOptions>();
  }

  get verbose(): boolean {
    return this.options.verbose ?? false;
  }

  /** For a change. Names the database: an operator may have the variables of another system. */
  async access(): Promise<SealedAccess> {
    const database = await this.database();
    await this.nameTarget();
    return { database, principal: { name: actorOf(this.settings.actor) }, sealer: this.sealer };
  }

  async database(): Promise<Database> {
    const url = await databaseUrlOf(this.settings);
    if (this.terminal.isTerminal) await this.nameTarget();
    this.openedDatabase ??= this.databases.open(url);
    this.checkedVersion ??= this.openedDatabase.requireServerVersion();
    await this.checkedVersion;
    return this.openedDatabase;
  }

  /** Seals and opens stored secrets. @throws CommandError without a usable DATA_MASTER_KEY */
  readonly sealer = async (): Promise<DataSealer> => {
    const masters = await configuredKeys(this.settings, 'dataMasterKey');
    return usable(() => masterSealer(masters));
  };

  /** The organisation that an operator has named, and the database. */
  async organisation(given: string): Promise<Organisation & { readonly database: Database }> {
    const database = await this.database();
    return { database, ...(await findOrganisation(database, given)) };
  }

  /** @throws Refusal for a test organisation, which always uses the simulator */
  async liveOrganisation(given: string): ReturnType<AdminSession['organisation']> {
    const found = await this.organisation(given);
    requireLive(found);
    return found;
  }

  async queues(): Promise<QueueAdmin> {
    const connection = await queueConnectionOf(this.settings);
    const { QueueAdmin } = await import('@gangan/queue');
    this.openedQueues ??= await QueueAdmin.open({ connection }, silent).catch((cause: unknown) => {
      const reason = describeFailure(cause);
      throw new CommandError(`The queue does not answer (${reason}): check that it runs, and REDIS_URL.`, {
        cause,
      });
    });
    return this.openedQueues;
  }

  list(rows: readonly Row[], whenEmpty: string): void {
    this.print(rows, rows.length > 0 ? asTable(rows) : whenEmpty);
  }

  show(row: Row): void {
    this.print(row, asLines(row));
  }

  /** The result of a change: a sentence for operators, or the row for scripts. */
  done(sentence: string, row: Row): void {
    this.print(row, sentence);
  }

  /** A note for operators, outside the result. */
  remark(line: string): void {
    this.terminal.err.write(`${withoutControls(line)}\n`);
  }

  /** @throws CommandError unless the operator agrees */
  async confirm(question: string): Promise<void> {
    await this.nameTarget();
    if (this.options.yes) return;
    if (!this.terminal.isTerminal)
      throw new CommandError(
        `${withoutControls(question)} There is no terminal for the confirmation: add --yes.`,
      );
    const { default: ask } = await import('@inquirer/confirm');
    const agreed = await ask(
      { message: withoutControls(question), default: false },
      { output: process.stderr },
    ).catch(() => false);
    if (!agreed) throw new CommandError('Cancelled; nothing was changed.');
  }

  async close(): Promise<void> {
    await this.openedQueues?.close();
    if (this.openedDatabase) await this.databases.release(this.openedDatabase);
  }

  /** Before the first change or question, and always on a terminal: an operator may have the variables of another system. */
  private async nameTarget(): Promise<void> {
    if (this.hasNamedTarget) return;
    this.hasNamedTarget = true;
    const redis = this.openedQueues && this.settings.redisUrl;
    this.remark(describeTarget(await databaseUrlOf(this.settings), redis));
  }

  private print(result: Row | readonly Row[], text: string): void {
    this.terminal.out.write(`${this.options.json ? asJson(result) : withoutControls(text)}\n`);
  }
}

/**
 * Adds a command whose help ends with examples.
 * @param examples what follows the name of the command
 */
export function addCommand(
  group: Command,
  nameAndArguments: string,
  description: string,
  examples = [nameAndArguments.endsWith('<organisation>') ? 'acme/live' : ''],
  notes = '',
): Command {
  return addExamples(group.command(nameAndArguments).description(description), examples, notes);
}

export function addExamples(command: Command, examples: readonly string[], notes = ''): Command {
  const lines = examples.map((example) => `\n  ${pathOf(command)} ${example}`.trimEnd());
  const heading = examples.length === 1 ? 'Example' : 'Examples';
  return command.addHelpText('after', `${notes && `\n${notes}\n`}\n${heading}:${lines.join('')}`);
}

/** `pnpm admin keys issue` */
const pathOf = (command: Command): string =>
  command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
