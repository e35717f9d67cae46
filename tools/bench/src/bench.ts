import { formatHelp, type OptionsOf, readOptions, type Schema } from '@gangan/testing';

export type Print = (line: string) => void;

/** Something that must be closed, also after an interrupt. */
export interface Run {
  close(): Promise<void>;
}

/** Registers a run, so that an interrupt closes it. */
export type Track = (run: Run) => void;

export interface Bench {
  readonly description: string;
  readonly options: string;
  /** Returns the exit code. */
  run(args: readonly string[], print: Print, track: Track): Promise<number>;
}

export const bench = <S extends Schema>(
  description: string,
  schema: S,
  measure: (options: OptionsOf<S>, print: Print, track: Track) => Promise<number>,
): Bench => ({
  description,
  options: formatHelp(schema),
  run: (args, print, track) => measure(readOptions(schema, args), print, track),
});
