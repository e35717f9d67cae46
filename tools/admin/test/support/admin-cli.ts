import { newSealingKey } from '@gangan/sealing';
import { runAdmin } from '../../src/run-admin.js';
import type { DatabaseSource } from '../../src/session/session.js';

export interface Outcome {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** The key of the stored secrets, unless a test gives another. */
export const dataKey = newSealingKey();

/** The command line without a terminal. */
export class AdminCli {
  constructor(
    private readonly environment: () => Record<string, string>,
    private readonly databases?: DatabaseSource,
  ) {}

  async run(...given: string[]): Promise<Outcome> {
    let [out, err] = ['', ''];
    const code = await runAdmin(
      given,
      { GANGAN_DATA_DIR: '/nonexistent', DATA_MASTER_KEY: dataKey, ...this.environment() },
      {
        out: { write: (text) => (out += text) },
        err: { write: (text) => (err += text) },
        isTerminal: false,
      },
      this.databases,
    );
    return { code, out, err };
  }

  /** The JSON output of a command that must succeed. */
  async json<T = Record<string, unknown>>(...given: string[]): Promise<T> {
    const { code, out, err } = await this.run(...given, '--json');
    if (code !== 0) throw new Error(`${given.join(' ')} ended with ${String(code)}: ${err}`);
    return JSON.parse(out) as T;
  }
}
