import type { BatchScope } from '@gangan/protocol';

/** How long the first to arrive waits for the others of its batch. */
const longestWaitMs = 5;

/** The calls that wait for the rest of their batch. */
export class Gathering<C> {
  private readonly calls: C[] = [];
  private readonly timer: NodeJS.Timeout;
  private readonly stopWatching: () => void;

  constructor(
    private readonly batch: BatchScope,
    private readonly send: (calls: readonly C[]) => void,
  ) {
    this.timer = setTimeout(this.flush, longestWaitMs);
    this.stopWatching = batch.onMemberFinished(this.flushWhenComplete);
  }

  add(call: C): void {
    this.calls.push(call);
    this.flushWhenComplete();
  }

  private readonly flushWhenComplete = (): void => {
    if (this.calls.length >= this.batch.unfinished) this.flush();
  };

  private readonly flush = (): void => {
    clearTimeout(this.timer);
    this.stopWatching();
    this.send(this.calls);
  };
}
