/** How many messages per second one worker submits to a provider. */
export class SubmissionRate {
  private second = 0;
  private inSecond = 0;
  private inSecondBefore = 0;

  /** In the current second or in the one before, whichever had more. */
  get perSecond(): number {
    return Math.max(this.inSecond, this.inSecondBefore);
  }

  add(messages: number): void {
    const second = Math.floor(performance.now() / 1_000);
    if (second !== this.second) {
      this.inSecondBefore = second === this.second + 1 ? this.inSecond : 0;
      this.inSecond = 0;
      this.second = second;
    }
    this.inSecond += messages;
  }
}
