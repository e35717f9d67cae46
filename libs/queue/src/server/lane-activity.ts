/** What this process does in one lane. */
export class LaneActivity {
  /** The number of jobs that were started since the process started. */
  started = 0;
  active = 0;

  async run(work: () => Promise<void>): Promise<void> {
    this.started += 1;
    this.active += 1;
    try {
      await work();
    } finally {
      this.active -= 1;
    }
  }
}
