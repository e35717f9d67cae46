import { runAdmin } from '../../src/run-admin.js';

export interface Outcome {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** The command line without a terminal. */
export class AdminCli {
  constructor(private readonly environment: Record<string, string>) {}

  async run(...given: string[]): Promise<Outcome> {
    let [out, err] = ['', ''];
    const code = await runAdmin(
      given,
      { GANGAN_DATA_DIR: '/nonexistent', ...this.environment },
      {
        out: { write: (text) => (out += text) },
        err: { write: (text) => (err += text) },
        isTerminal: false,
      },
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
