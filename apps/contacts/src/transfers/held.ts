import type { ClaimedJob } from '@gangan/leases';
import { AppError } from '@gangan/protocol';

/** An import or export that one worker has taken up, for as long as its lease runs. */
export interface Held extends ClaimedJob {
  readonly id: string;
  readonly tableId: string;
  readonly organisationId: string;
  readonly attempt: number;
}

/** It cannot be carried out, however often it is tried: its caller is told why. */
export class Hopeless extends AppError {
  constructor(reason: string) {
    super('hopeless', 400, reason, { final: true });
  }
}
