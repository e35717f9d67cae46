import { EnvMissingError, type ValidatorSpec } from 'envalid';

/** A variable with a missing or invalid value. It never contains the value, which may be secret. */
export interface ConfigFault {
  readonly name: string;
  readonly problem: string;
  readonly meaning: string;
  readonly example: string | undefined;
}

export class InvalidConfig extends Error {
  override readonly name = 'InvalidConfig';

  constructor(readonly faults: readonly ConfigFault[]) {
    super(`${faults.length} environment variables are missing or invalid`);
  }

  paragraphs(): string[] {
    return this.faults.map(printFault);
  }

  /** One block that names every fault, so that all can be corrected at once. */
  print(app: string): string {
    const need =
      this.faults.length === 1
        ? 'One environment variable needs'
        : `${this.faults.length} environment variables need`;
    return `\n${app} cannot start. ${need} your attention:\n\n${this.paragraphs().join('\n')}\n`;
  }
}

export function faultOf(name: string, error: Error, spec: ValidatorSpec<unknown> | undefined): ConfigFault {
  const choices = spec?.choices && `must be one of: ${spec.choices.join(', ')}`;
  const problem = error instanceof EnvMissingError ? 'is missing' : (choices ?? error.message);
  return { name, problem, meaning: spec?.desc ?? '', example: spec?.example };
}

const printFault = ({ name, problem, meaning, example }: ConfigFault): string =>
  [`  ${name} ${problem}`, `    ${meaning}`, ...(example ? [`    Example: ${example}`] : []), ''].join('\n');
