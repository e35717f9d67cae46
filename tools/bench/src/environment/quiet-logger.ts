/** Logs errors only. */
export const quietLogger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: (details: object, message: string) =>
    void process.stderr.write(`${message} ${JSON.stringify(details)}\n`),
  fatal: () => undefined,
};
