import { inheritedBy, nameInEnvironment } from '@gangan/protocol';
import {
  type ConfigFault,
  type Configs,
  type ConfigSpec,
  InvalidConfig,
  readConfig,
} from './define-config.js';

/** An app, or the process itself, and the variables that it reads. */
interface Reader {
  readonly name: string;
  readonly specs: readonly ConfigSpec[];
  /** What is wrong with valid values of this app in particular. */
  readonly check?: (configs: Configs) => readonly ConfigFault[];
}

type Configured<R extends readonly Reader[]> = {
  readonly [Index in keyof R]: R[Index] & { readonly configs: Configs };
};

/** Reads the configuration of every app from its part of the environment. @throws InvalidConfig with the faults of all */
export function readConfigs<const R extends readonly Reader[]>(
  readers: R,
  environment: NodeJS.ProcessEnv,
): Configured<R> {
  const faults = new Map<string, ConfigFault>();
  const configured = readers.flatMap((reader) => {
    try {
      const configs = readConfig(reader.specs, inheritedBy(reader.name, environment));
      const found = reader.check?.(configs) ?? [];
      if (found.length > 0) throw new InvalidConfig(found);
      return [{ ...reader, configs }];
    } catch (error) {
      if (!(error instanceof InvalidConfig)) throw error;
      for (const fault of error.faults) {
        const named = asInEnvironment(reader.name, fault, environment);
        faults.set(`${named.name} ${named.problem}`, named);
      }
      return [];
    }
  });
  if (faults.size > 0) throw new InvalidConfig([...faults.values()]);
  return configured as unknown as Configured<R>;
}

/** An app has `DATABASE_URL` where the environment may have `OTP__DATABASE_URL`. */
function asInEnvironment(app: string, fault: ConfigFault, environment: NodeJS.ProcessEnv): ConfigFault {
  const name = nameInEnvironment(app, fault.name, environment);
  const withoutFile = (variable: string): string => variable.replace(/_FILE$/, '');
  const problem = fault.problem.replaceAll(withoutFile(fault.name), withoutFile(name));
  return { ...fault, name, problem, example: fault.example?.replace('<app>', app) };
}
