import { readFileSync } from 'node:fs';

/** What is wrong with a variable that names the file of a secret. It contains no value: a secret may be there by mistake. */
export interface SecretFileFault {
  readonly name: string;
  readonly problem: string;
}

export interface ResolvedSecrets {
  /** The environment with `NAME` instead of every `NAME_FILE` that was read. */
  readonly environment: NodeJS.ProcessEnv;
  readonly faults: readonly SecretFileFault[];
}

/** The variable that names a file with the value of `name`, as Docker and Kubernetes mount secrets. */
export const fileVariable = (name: string): string => `${name}_FILE`;

/** Reads the secrets that are given as files. A blank variable counts as absent. */
export function readSecretFiles(environment: NodeJS.ProcessEnv, names: readonly string[]): ResolvedSecrets {
  const resolved = { ...environment };
  const faults = names.flatMap((name) => {
    const file = environment[fileVariable(name)]?.trim();
    Reflect.deleteProperty(resolved, fileVariable(name));
    if (!file) return [];
    const problem = environment[name]?.trim()
      ? `and ${name} are both set: unset one`
      : readInto(resolved, name, file);
    return problem === undefined ? [] : [{ name: fileVariable(name), problem }];
  });
  return { environment: resolved, faults };
}

/** @throws with all faults; for commands, which read few variables */
export function resolveSecretFiles(
  environment: NodeJS.ProcessEnv,
  names: readonly string[],
): NodeJS.ProcessEnv {
  const { environment: resolved, faults } = readSecretFiles(environment, names);
  if (faults.length === 0) return resolved;
  throw new Error(faults.map(({ name, problem }) => `${name} ${problem}.`).join(' '));
}

/** @returns what is wrong with the file, if anything */
function readInto(environment: NodeJS.ProcessEnv, name: string, file: string): string | undefined {
  try {
    const value = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
    if (value.trim() === '') return 'names an empty file';
    environment[name] = value;
    return undefined;
  } catch (error) {
    return `names a file that cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`;
  }
}
