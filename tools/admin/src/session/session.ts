import { Database } from '@gangan/database';
import type { QueueAdmin } from '@gangan/queue';
import { explain } from './explain.js';
import { databaseUrlOf, queueConnectionOf, queueKeysOf } from './place.js';
import { asJson, asLines, asTable, type Row } from './print.js';
import { CommandError } from './command-error.js';
import type { Settings } from './settings.js';

export interface Terminal {
  readonly out: { write(text: string): unknown };
  readonly err: { write(text: string): unknown };
  /** Whether a person can be asked. */
  readonly isTerminal: boolean;
}

export interface GlobalOptions {
  readonly json?: true;
  readonly yes?: true;
  readonly verbose?: true;
}

/** An operator's patience is longer than a caller's. */
const statementTimeoutMs = 600_000;
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Where a command does its work: the stores, opened when they are needed, and the terminal. */
export class AdminSession {
  /** Of a command that did its work and found something wrong. */
  exitCode = 0;
  private options: GlobalOptions = {};
  private openedDatabase?: Database;
  private openedQueues?: QueueAdmin;

  constructor(
    readonly settings: Settings,
    readonly terminal: Terminal,
  ) {}

  begin(options: GlobalOptions): void {
    this.options = options;
  }

  get verbose(): boolean {
    return this.options.verbose ?? false;
  }

  async database(): Promise<Database> {
    this.openedDatabase ??= new Database({
      url: await databaseUrlOf(this.settings),
      poolSize: 2,
      name: 'gangan admin',
      statementTimeoutMs,
    });
    return this.openedDatabase;
  }

  async queues(): Promise<QueueAdmin> {
    const connection = await queueConnectionOf(this.settings);
    const { QueueAdmin } = await import('@gangan/queue');
    this.openedQueues ??= await QueueAdmin.open({ connection }, silent).catch((cause: unknown) => {
      throw new CommandError(
        `The queue does not answer (${explain(cause)}): check that it runs, and REDIS_URL.`,
        {
          cause,
        },
      );
    });
    return this.openedQueues;
  }

  queueKeys(): Promise<string[]> {
    return queueKeysOf(this.settings);
  }

  /** Rows for scripts, a table for people, or a word when there is nothing in it. */
  list(rows: readonly Row[], whenEmpty: string): void {
    if (this.options.json) this.print(asJson(rows));
    else this.print(rows.length > 0 ? asTable(rows) : whenEmpty);
  }

  /** One thing with all that is known of it. */
  show(row: Row): void {
    this.print(this.options.json ? asJson(row) : asLines(row));
  }

  /** What was done: a sentence for people, the facts for scripts. */
  done(sentence: string, row: Row): void {
    this.print(this.options.json ? asJson(row) : sentence);
  }

  /** Beside the result, for people only. */
  remark(line: string): void {
    this.terminal.err.write(`${line}\n`);
  }

  /** @throws CommandError unless somebody agrees */
  async confirm(question: string): Promise<void> {
    if (this.options.yes) return;
    if (!this.terminal.isTerminal) {
      throw new CommandError(`${question} Nobody is there to be asked: add --yes to do it.`);
    }
    const { default: ask } = await import('@inquirer/confirm');
    const agreed = await ask({ message: question, default: false }, { output: process.stderr }).catch(
      () => false,
    );
    if (!agreed) throw new CommandError('Nothing was done.');
  }

  async close(): Promise<void> {
    await this.openedQueues?.close();
    await this.openedDatabase?.close();
  }

  private print(text: string): void {
    this.terminal.out.write(`${text}\n`);
  }
}
