import process from 'node:process';
import { Logger } from '@nestjs/common';
import { runAdmin } from './run-admin.js';

// The output is for scripts; log lines of the libraries would break it.
Logger.overrideLogger(false);

// `pnpm admin … | head` closes the pipe early; that is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

const args = process.argv.slice(2);
process.exitCode = await runAdmin(args[0] === '--' ? args.slice(1) : args, process.env, {
  out: process.stdout,
  err: process.stderr,
  isTerminal: process.stdin.isTTY && process.stderr.isTTY,
});
