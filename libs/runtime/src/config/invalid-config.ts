import { EnvMissingError, type ValidatorSpec } from 'envalid';

/** One variable that cannot be used, and what would be right. It never holds the value that was given. */
export interface ConfigFault {
  readonly name: string;
  readonly problem: string;
  readonly meaning: string;
  readonly example: string | undefined;
}

export class InvalidConfig extends Error {
  override readonly name = 'InvalidConfig';

  constructor(readonly faults: readonly ConfigFault[]) {
    super(`${faults.length} environment variables cannot be used`);
  }

  /** Each fault as a paragraph. */
  paragraphs(): string[] {
    return this.faults.map(printFault);
  }

  /** One block that names every fault, so that one look and one edit are enough. */
  print(app: string): string {
    const need =
      this.faults.length === 1
        ? 'One environment variable needs'
        : `${this.faults.length} environment variables need`;
    return `\n${app} cannot start. ${need} your attention:\n\n${this.paragraphs().join('\n')}\n`;
  }
}

export const faultOf = (
  name: string,
  error: Error,
  spec: ValidatorSpec<unknown> | undefined,
): ConfigFault => ({
  name,
  problem: problemOf(error, spec?.choices),
  meaning: spec?.desc ?? '',
  example: spec?.example,
});

function problemOf(error: Error, choices: readonly unknown[] | undefined): string {
  if (error instanceof EnvMissingError) return 'is missing';
  return choices ? `must be one of: ${choices.join(', ')}` : error.message;
}

const printFault = ({ name, problem, meaning, example }: ConfigFault): string =>
  [
    `  ${name} ${problem}`,
    `    ${meaning}`,
    ...(example === undefined ? [] : [`    Example: ${example}`]),
    '',
  ].join('\n');
