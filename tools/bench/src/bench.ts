import { helpOf, type OptionsOf, readOptions, type Schema } from './options/options.js';

export type Say = (line: string) => void;

/** Something that must be closed even when the user loses patience. */
export interface Run {
  close(): Promise<void>;
}

export type Running = (run: Run) => void;

export interface Bench {
  readonly tells: string;
  readonly options: string;
  /** Gives the exit code. */
  run(args: readonly string[], say: Say, running: Running): Promise<number>;
}

export const bench = <S extends Schema>(
  tells: string,
  schema: S,
  measure: (options: OptionsOf<S>, say: Say, running: Running) => Promise<number>,
): Bench => ({
  tells,
  options: helpOf(schema),
  run: (args, say, running) => measure(readOptions(schema, args), say, running),
});
