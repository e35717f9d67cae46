import { Session } from 'node:inspector/promises';
import { toSourcePositions } from '../logging/source-positions.js';

const maxFrames = 10;

/** The main thread, as its watchdog reaches it while its event loop is blocked: through V8's debugger. */
export class MainThread {
  private readonly session = new Session();
  private readonly files = new Map<string, string>();
  private topFrame: string | undefined;

  /**
   * Stops the main thread where it is. It cannot be resumed.
   * @returns its stack, without any values; `undefined` if it runs no JavaScript, as during a blocking system call
   */
  async stop(timeoutMs: number): Promise<string[] | undefined> {
    this.session.connectToMainThread();
    const stopped = new Promise<string[]>((resolve) => {
      this.session.on('Debugger.scriptParsed', ({ params }) => this.files.set(params.scriptId, params.url));
      this.session.on('Debugger.paused', ({ params: { callFrames } }) => {
        this.topFrame = callFrames[0]?.callFrameId;
        resolve(
          callFrames.slice(0, maxFrames).map(({ functionName, location }) => {
            const { scriptId, lineNumber, columnNumber = 0 } = location;
            const position = `${this.files.get(scriptId) ?? ''}:${lineNumber + 1}:${columnNumber + 1}`;
            return `${functionName || '<anonymous>'} (${toSourcePositions(position)})`;
          }),
        );
      });
    });
    // The replies come only if the main thread stops.
    for (const command of ['Debugger.enable', 'Debugger.pause'] as const)
      this.session.post(command).catch(() => undefined);
    const timeout = new Promise<undefined>((resolve) => setTimeout(resolve, timeoutMs, undefined));
    return Promise.race([stopped, timeout]);
  }

  /** Ends the process. Only the main thread can do that with an exit code; if it runs no JavaScript, it is killed. */
  exit(code: number): void {
    if (this.topFrame === undefined) {
      process.kill(process.pid, 'SIGKILL');
      return;
    }
    // In a frame of Node's own code, `process` alone may be a variable that the debugger cannot read.
    const expression = `globalThis.process.reallyExit(${code})`;
    this.session
      .post('Debugger.evaluateOnCallFrame', { callFrameId: this.topFrame, expression })
      .catch(() => undefined);
    // The process does not end while a debugger is connected.
    this.session.disconnect();
  }
}
