/** Written by the main thread, read by the watchdog. */
export class SharedState {
  constructor(private readonly words = new Int32Array(new SharedArrayBuffer(8))) {}

  /** How often the main thread has reported that it runs. */
  get heartbeat(): number {
    return Atomics.load(this.words, 0);
  }

  get debuggerListens(): boolean {
    return Atomics.load(this.words, 1) === 1;
  }

  /** What a thread gets as its `workerData`. */
  get memory(): Int32Array<SharedArrayBuffer> {
    return this.words;
  }

  beat(debuggerListens: boolean): void {
    Atomics.add(this.words, 0, 1);
    Atomics.store(this.words, 1, debuggerListens ? 1 : 0);
  }
}
