import { currentContext } from '@gangan/protocol';
import { AppLogger } from '@gangan/runtime';

export type Line = Readonly<Record<string, unknown>>;

/** Records log lines with their context. */
export class RecordingLogger extends AppLogger {
  readonly lines: Line[] = [];

  debug = this.recorder('debug');
  info = this.recorder('info');
  warn = this.recorder('warn');
  error = this.recorder('error');
  fatal = this.recorder('fatal');

  /** The access log lines of one request. */
  requests(requestId: unknown): Line[] {
    return this.lines.filter((line) => line['requestId'] === requestId && line['msg'] === 'request');
  }

  private recorder(level: string) {
    return (details: object, msg: string): void => {
      this.lines.push({ ...currentContext(), level, ...details, msg });
    };
  }
}
