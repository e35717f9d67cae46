import type { Print, Resources } from '@gangan/testing';

/** What is printed, and what an interrupt closes. */
export interface Session {
  readonly print: Print;
  readonly resources: Resources;
}

export interface Bench {
  readonly usage: string;
  /** Returns the exit code. */
  run(args: readonly string[], session: Session): Promise<number>;
}
