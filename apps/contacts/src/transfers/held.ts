import { AppError } from '@gangan/protocol';

/** An import or export that one worker has taken up, for as long as its lease runs. */
export interface Held {
  readonly id: string;
  readonly tableId: string;
  readonly organisationId: string;
  readonly attempt: number;
  /** Attempts without coming further, this one included. */
  readonly stalls: number;
}

/** Somebody else has taken it up meanwhile, or it is gone: nothing more is to be done about it here. */
export class LeaseLost extends Error {}

/** It cannot be carried out, however often it is tried: its caller is told why. */
export class Hopeless extends AppError {
  constructor(reason: string) {
    super('hopeless', 400, reason, { final: true });
  }
}
