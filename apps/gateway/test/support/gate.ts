/** Blocks a caller until it is opened. */
export class Gate {
  private letGo: () => void = () => undefined;
  private arrive: () => void = () => undefined;
  readonly opened = new Promise<void>((resolve) => (this.letGo = resolve));
  /** Resolves when a caller has reached the gate. */
  readonly reached = new Promise<void>((resolve) => (this.arrive = resolve));

  async pass(): Promise<void> {
    this.arrive();
    await this.opened;
  }

  open(): void {
    this.letGo();
  }
}
